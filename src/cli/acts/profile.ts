import { oneLine } from "../../core/text/text.ts";
import { loadConfig } from "../../store/config/config.ts";
import { compiled, listProfiles, loadProfile, type Profile } from "../../store/config/profile-file.ts";
import { BUILT_IN, chooseProfile, chosenProfile, forgetProfile } from "../../store/config/profiles.ts";
import { isSessionId } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import type { Store } from "../../store/session-handle.ts";
import { renewContexts } from "../support/active-profile.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { beside, wordsOf } from "../support/layout/beside.ts";
import { pickSession } from "../support/pick-session.ts";
import { storeFailure } from "../support/store-failure.ts";

export interface Where {
	session?: string;
	project?: boolean | string;
	json?: boolean;
}

export async function list({ session, json }: Where, io: Io, now: Date): Promise<void> {
	const store = storeOf(io);
	const { root } = store;
	const sid = session === undefined ? undefined : pickSession(store, session, io, now);
	const active = chosenProfile(root, { sid, folder: io.cwd, tell: io.tell })?.name ?? "default";
	const profiles = (await listProfiles(root)).map((one) => ({
		...one,
		active: one.name === active,
		replaces_built_in: one.source !== "built-in" && Object.hasOwn(BUILT_IN, one.name),
	}));
	if (json) return answerJson(io, profiles, ["config"]);
	const { colours: c } = io;
	for (const one of profiles) {
		const told = oneLine(one.description) || "no description";
		// what is wrong begins with the path, which stands at the end of the line
		const text = one.problem ? `broken: ${oneLine(one.problem.replace(`profile ${one.source}: `, ""))}` : told;
		const name = oneLine(one.name).padEnd(12);
		const at = { label: `${one.active ? "*" : " "} ${c.bold(name)} `, indent: 3 + name.length };
		const file = oneLine(one.source);
		const source = one.replaces_built_in ? `${file}, in place of the built-in one` : file;
		beside(io, at, `${text}${one.source === "built-in" ? "" : `  ${source}`}`, one.problem ? c.red : String);
	}
}

export async function use(name: string, where: Where, io: Io, now: Date): Promise<void> {
	const store = storeOf(io);
	const { root } = store;
	if (where.session !== undefined && where.project !== undefined)
		throw new Error("--session and --project together: a profile is chosen for one of them at a time");
	const place = placeOf(where, store, io, now);
	const scope = "sid" in place ? `session ${place.sid}` : `project ${projectOf(place.folder).root}`;
	const profile = name === "none" ? null : compiled(await loadProfile(root, name), now);
	try {
		if (profile) chooseProfile(store, place, profile);
		else forgetProfile(root, place);
		renewContexts(store, place, io.cwd, now);
	} catch (error) {
		throw storeFailure(`the choice of ${name} for ${scope} was not kept`, error, root);
	}
	if (where.json) {
		const at = "sid" in place ? { session_id: place.sid } : { cwd: place.folder };
		answerJson(io, { profile: name === "none" ? null : name, ...at });
	} else
		io.out(
			name === "none"
				? `No profile is chosen for ${scope} any more.`
				: `Profile ${name} counts for ${scope} from its next hook on.`,
		);
}

export async function show(name: string | undefined, where: Where, io: Io, now: Date): Promise<void> {
	const store = storeOf(io);
	const { root } = store;
	if (name !== undefined) {
		const profile = await loadProfile(root, name);
		if (where.json) return answerJson(io, profile, ["config"]);
		const at = { label: `${io.colours.bold(profile.name)}  `, indent: Bun.stringWidth(profile.name) + 2 };
		beside(io, at, `${oneLine(profile.description)}  ${oneLine(profile.source)}`);
		return printSections(profile.config, io);
	}
	const place = placeOf(where, store, io, now);
	const chosen = chosenProfile(root, { folder: io.cwd, tell: io.tell, ...place });
	const { config, problems } = loadConfig(root, { folder: io.cwd, tell: io.tell, ...place });
	const stale = chosen && chosen.source !== "built-in" ? await staleness(root, chosen.name, chosen.config) : null;
	if (where.json)
		// the keys of a configuration are those of config.json
		return answerJson(
			io,
			{ profile: chosen?.name ?? "default", chosen_for: chosen?.by ?? null, stale, config, problems },
			["config"],
		);
	io.out(
		`Profile ${io.colours.bold(chosen?.name ?? "default")}${chosen ? ` (chosen for the ${chosen.by})` : ""}, over config.json:`,
	);
	if (stale) io.err(stale);
	for (const problem of problems) io.err(`config.json: ${problem}`);
	printSections(config as unknown as Profile["config"], io);
}

function placeOf({ session, project }: Where, store: Store, io: Io, now: Date): { sid: string } | { folder: string } {
	if (session === undefined) return { folder: typeof project === "string" ? project : io.cwd };
	// a session that has not met a hook yet may have its profile already
	return {
		sid:
			/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(session) && isSessionId(session)
				? session
				: pickSession(store, session, io, now),
	};
}

/** Whether the file says something else by now than what was chosen. */
async function staleness(root: string, name: string, config: object): Promise<string | null> {
	try {
		const now = await loadProfile(root, name);
		return JSON.stringify(now.config) === JSON.stringify(config)
			? null
			: `${now.source} was changed since it was chosen; 'ccg profile use ${name}' takes it in`;
	} catch (error) {
		return `${error instanceof Error ? error.message : String(error)}; what was chosen earlier still counts`;
	}
}

function printSections(config: Profile["config"], io: Io): void {
	for (const [section, values] of Object.entries(config)) {
		const label = `  ${section}: `;
		const said = settings(values).map((one, i, all) => (i < all.length - 1 ? `${one},` : one));
		// a long text of the user's own may be broken
		const parts = said.flatMap((one) => (one.length > LONG ? wordsOf(one) : [one]));
		beside(io, { label, indent: label.length }, parts);
	}
}

const LONG = 40;

/** `key value` of each setting; of a section inside a section `inner.key value`. */
function settings(values: object, inside = ""): string[] {
	return Object.entries(values).flatMap(([key, value]) =>
		typeof value === "object" && value !== null && !Array.isArray(value)
			? settings(value, `${inside}${key}.`)
			: [`${inside}${key} ${JSON.stringify(value)}`],
	);
}
