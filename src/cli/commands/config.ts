import { oneLine } from "../../core/text/text.ts";
import { whyOf } from "../../files/system-failure.ts";
import { loadConfig } from "../../store/config/config.ts";
import { listProfiles, loadProfile } from "../../store/config/profile-file.ts";
import { BUILT_IN, chooseProfile, chosenProfile, forgetProfile } from "../../store/config/profiles.ts";
import { isSessionId } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { projectFolderOf } from "../../store/session/place.ts";
import { type Answer, argument, type Given, JSON_OUT, SESSION, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { sessionNamed } from "../support/place.ts";
import { beside, wordsOf } from "../support/text.ts";

/** `ccg config`: the configuration that counts here and the profiles there are, or one profile's settings. */
export const show: Spec = {
	about: "the configuration that counts here, and the profiles there are; or one profile's settings",
	args: [argument("[name]", "a profile")],
	options: [SESSION, JSON_OUT],
	help: "\nExamples:\n  ccg config\n  ccg config show careful\n  ccg config --session 0c0ffee0 --json",
	act: (io, { session }: Given, name?: string) => (name === undefined ? showAll(session, io) : showProfile(name, io)),
};

/** `ccg config use`: chooses a profile for this project or a session. */
export const use: Spec = {
	about: "choose a profile for this project, or for one session; it is checked first. Use it again after editing it",
	args: [argument("<name>", "a profile; none takes the choice back")],
	options: [SESSION, JSON_OUT],
	help: `
Without --session it is for the project of this folder; a session's own choice wins over it. A profile is a file
<store>/profiles/NAME.yaml. It may set every section of config.json:

  description: for migrations
  marker:
    headroomTokens: 60000
  guard:
    mode: enforce

Examples:
  ccg config use careful
  ccg config use quiet --session 0c0ffee0
  ccg config use none --session 0c0ffee0

Exit code 1 and the failing keys when a profile does not fit.`,
	act(io, { session }: Given, name: string) {
		const store = storeOf(io);
		const place = placeOf(session, io);
		const scope = "sid" in place ? `session ${place.sid}` : `project ${projectOf(place.folder).root}`;
		const profile = name === "none" ? null : loadProfile(store.root, name);
		if (profile) chooseProfile(store.root, place, profile);
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

type ConfiguredPlace = { sid: string } | { folder: string };

/** Whose configuration is meant: a session's, else this project's. */
function placeOf(session: string | undefined, io: Io): ConfiguredPlace {
	if (session === undefined) return { folder: projectFolderOf(io) };
	// a session that has not met a hook yet may have its profile already
	const isWhole = /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(session) && isSessionId(session);
	return { sid: isWhole ? session : sessionNamed(session, io).id };
}

function showProfile(name: string, io: Io): Answer {
	const profile = loadProfile(storeOf(io).root, name);
	const text = (): void => {
		const at = { label: `${io.colours.bold(profile.name)}  `, indent: Bun.stringWidth(profile.name) + 2 };
		beside(io, at, `${oneLine(profile.description)}  ${oneLine(profile.source)}`);
		printSections(profile.config, io);
	};
	return { json: profile, text };
}

function showAll(session: string | undefined, io: Io): Answer {
	const { root } = storeOf(io);
	const place = { folder: projectFolderOf(io), ...placeOf(session, io) };
	const chosen = chosenProfile(root, place);
	const { config, problems } = loadConfig(root, place);
	const active = chosen?.name ?? "default";
	const profiles = listProfiles(root).map((one) => ({
		...one,
		active: one.name === active,
		replaces_built_in: one.source !== "built-in" && Object.hasOwn(BUILT_IN, one.name),
	}));
	const stale = chosen && chosen.source !== "built-in" ? staleness(root, chosen.name, chosen.config) : null;
	const { bold, red } = io.colours;
	const text = (): void => {
		io.out(`Profile ${bold(active)}${chosen ? ` (chosen for the ${chosen.by})` : ""}, over config.json:`);
		if (stale) io.err(stale);
		for (const problem of problems) io.err(`config.json: ${problem}`);
		printSections(config, io);
		io.out("\nProfiles:");
		for (const { name, active, description, source, problem, replaces_built_in: replaces } of profiles) {
			// what is wrong begins with the path, which stands at the end of the line
			const wrong = problem && `broken: ${oneLine(problem.replace(`profile ${source}: `, ""))}`;
			const from = `  ${oneLine(source)}${replaces ? ", in place of the built-in one" : ""}`;
			const padded = oneLine(name).padEnd(12);
			const at = { label: `${active ? "*" : " "} ${bold(padded)} `, indent: 3 + padded.length };
			const told = wrong || oneLine(description) || "no description";
			beside(io, at, `${told}${source === "built-in" ? "" : from}`, wrong ? red : String);
		}
	};
	// the keys of a configuration are those of config.json
	const json = { profile: active, chosen_for: chosen?.by ?? null, stale, config, problems, profiles };
	return { json, text };
}

/** Whether the file says something else by now than what was chosen. */
function staleness(root: string, name: string, config: object): string | null {
	try {
		const now = loadProfile(root, name);
		return JSON.stringify(now.config) === JSON.stringify(config)
			? null
			: `${now.source} was changed since it was chosen; 'ccg config use ${name}' takes it in`;
	} catch (error) {
		return `${whyOf(error)}; what was chosen earlier still counts`;
	}
}

/** A longer text, the user's own, may be broken. */
const LONG = 40;

function printSections(config: object, io: Io): void {
	for (const [section, values] of Object.entries(config)) {
		const label = `  ${section}: `;
		const said = settings(values).map((one, i, all) => (i < all.length - 1 ? `${one},` : one));
		const parts = said.flatMap((one) => (one.length > LONG ? wordsOf(one) : [one]));
		beside(io, { label, indent: label.length }, parts);
	}
}

/** `key value` of each setting; of a section inside a section `inner.key value`. */
function settings(values: object, inside = ""): string[] {
	return Object.entries(values).flatMap(([key, value]) =>
		typeof value === "object" && value !== null && !Array.isArray(value)
			? settings(value, `${inside}${key}.`)
			: [`${inside}${key} ${JSON.stringify(value)}`],
	);
}
