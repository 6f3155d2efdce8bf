import { oneLine } from "../../core/text/text.ts";
import { isObject } from "../../core/transcript/decode.ts";
import {
	chooseProfile,
	chosenProfile,
	forgetProfile,
	listProfiles,
	loadConfig,
	loadProfile,
} from "../../store/config.ts";
import { projectOf } from "../../store/project.ts";
import { projectFolderOf, storeOf } from "../../store/session/place.ts";
import { argument, type Given, JSON_OUT, SESSION, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { sessionNamed } from "../support/place.ts";
import { printBeside } from "../support/text.ts";

const show: Spec = {
	about: "show the configuration in force here, and all profiles",
	options: [SESSION, JSON_OUT],
	help: "\nExamples:\n  ccg config\n  ccg config --session 0c0ffee0 --json",
	act(io, { session }: Given) {
		const { root } = storeOf(io);
		const place = { folder: projectFolderOf(io), ...profilePlace(session, io) };
		const chosen = chosenProfile(root, place);
		const { config, problems } = loadConfig(root, place);
		const active = chosen?.name ?? "default";
		const profiles = listProfiles(root).map((one) => ({ ...one, active: one.name === active }));
		const { bold, red } = io.colours;
		const text = (): void => {
			io.out(`Profile ${bold(active)}${chosen ? ` (chosen for the ${chosen.by})` : ""}, over config.json:`);
			for (const problem of problems) io.err(`config.json: ${problem}`);
			for (const [key, value] of settings(config)) printBeside(io, { label: `  ${key} `, indent: 4 }, value);
			io.out("\nProfiles:");
			for (const { name, active, description, source, problem } of profiles) {
				const padded = oneLine(name).padEnd(12);
				const at = { label: `${active ? "*" : " "} ${bold(padded)} `, indent: 3 + padded.length };
				const about = problem ? `broken: ${problem}` : `${description || "no description"}  ${source}`;
				printBeside(io, at, oneLine(about), problem ? red : String);
			}
		};
		return { json: { profile: active, chosen_for: chosen?.by ?? null, config, problems, profiles }, text };
	},
};

/** Lists the key and the value of each setting; of a section inside a section `outer.inner.key`. */
const settings = (values: object, inside = ""): [string, string][] =>
	Object.entries(values).flatMap(([key, value]) =>
		isObject(value) ? settings(value, `${inside}${key}.`) : [[inside + key, JSON.stringify(value)]],
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
	act(io, { session }: Given, name: string) {
		const store = storeOf(io);
		const place = profilePlace(session, io);
		const scope = "sid" in place ? `session ${place.sid}` : `project ${projectOf(place.folder).root}`;
		const profile = name === "none" ? null : loadProfile(store.root, name);
		if (profile) chooseProfile(store.root, place, name);
		else forgetProfile(store.root, place);
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
const profilePlace = (session: string | undefined, io: Io) =>
	session === undefined ? { folder: projectFolderOf(io) } : { sid: sessionNamed(session, io).id };

/** `ccg config`. */
export const commands = { show, use };
