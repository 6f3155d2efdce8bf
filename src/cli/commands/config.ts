import { oneLine } from "../../core/text/text.ts";
import { isObject } from "../../core/transcript/decode.ts";
import {
	listProfiles,
	loadConfig,
	loadProfile,
	readChosenProfile,
	removeProfileChoice,
	writeProfileChoice,
} from "../../store/config.ts";
import { findProject } from "../../store/project.ts";
import { findProjectFolder, requireStore } from "../../store/session/place.ts";
import { argument, type Flags, JSON_OUT, SESSION, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { findSession } from "../support/place.ts";
import { printBesideLabel } from "../support/text.ts";

const show: Spec = {
	about: "show the configuration in force here, and all profiles",
	options: [SESSION, JSON_OUT],
	help: "\nExamples:\n  ccg config\n  ccg config --session 0c0ffee0 --json",
	run(io, { session }: Flags) {
		const { root } = requireStore(io);
		const place = { folder: findProjectFolder(io), ...configTarget(session, io) };
		const chosen = readChosenProfile(root, place);
		const { config, problems } = loadConfig(root, place);
		const active = chosen?.name ?? "default";
		const profiles = listProfiles(root).map((one) => ({ ...one, active: one.name === active }));
		const { bold, red } = io.colours;
		const text = (): void => {
			io.out(`Profile ${bold(active)}${chosen ? ` (chosen for the ${chosen.by})` : ""}, over config.json:`);
			for (const problem of problems) io.err(`config.json: ${problem}`);
			for (const [key, value] of listSettings(config)) printBesideLabel(io, `  ${key} `, 4, value);
			io.out("\nProfiles:");
			for (const { name, active, description, source, problem } of profiles) {
				const padded = oneLine(name).padEnd(12);
				const label = `${active ? "*" : " "} ${bold(padded)} `;
				const about = problem ? `broken: ${problem}` : `${description || "no description"}  ${source}`;
				printBesideLabel(io, label, 3 + padded.length, oneLine(about), problem ? red : String);
			}
		};
		return { json: { profile: active, chosen_for: chosen?.by ?? null, config, problems, profiles }, text };
	},
};

/** Lists each setting as its key, with its sections before it (`outer.inner.key`), and its value. */
const listSettings = (values: object, inside = ""): [string, string][] =>
	Object.entries(values).flatMap(([key, value]) =>
		isObject(value) ? listSettings(value, `${inside}${key}.`) : [[inside + key, JSON.stringify(value)]],
	);

const use: Spec = {
	about: "check a profile and choose it for this project, or for one session",
	args: [argument("<name>", "a profile's name; none takes the choice back")],
	options: [SESSION, JSON_OUT],
	help: `
Without --session it is for the project of this folder; a session's own choice wins over it. \
A profile is a file <store>/profiles/NAME.json. It may set every section of config.json but embeddings:

  { "description": "for migrations", "marker": { "headroomTokens": 60000 }, "guard": { "mode": "enforce" } }

Examples:
  ccg config use careful
  ccg config use quiet --session 0c0ffee0
  ccg config use none --session 0c0ffee0

A profile that does not fit is refused, with the failing keys.`,
	run(io, { session }: Flags, name: string) {
		const store = requireStore(io);
		const place = configTarget(session, io);
		const scope = "sid" in place ? `session ${place.sid}` : `project ${findProject(place.folder).root}`;
		const profile = name === "none" ? null : loadProfile(store.root, name);
		if (profile) writeProfileChoice(store.root, place, name);
		else removeProfileChoice(store.root, place);
		const at = "sid" in place ? { session_id: place.sid } : { cwd: place.folder };
		return {
			json: { profile: profile ? name : null, ...at },
			text: profile
				? `Profile ${name} counts for ${scope} from its next hook on.`
				: `No profile is chosen for ${scope} any more.`,
		};
	},
};

/** Gives what the configuration is of: the session named, else this project. */
const configTarget = (session: string | undefined, io: Io) =>
	session === undefined ? { folder: findProjectFolder(io) } : { sid: findSession(session, io).id };

/** `ccg config`. */
export const commands = { show, use };
