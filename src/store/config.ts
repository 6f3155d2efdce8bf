import { existsSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { BUILT_IN, type Config, isProfileName, makeConfig, type Profile } from "../core/config/config.ts";
import { readObject, readText } from "../files/json-file.ts";
import { namesIn } from "../files/quietly.ts";
import { whyOf } from "../files/system-failure.ts";
import { writeText } from "./gate.ts";
import { configPath, isSessionId, profilesFolder } from "./paths.ts";
import { projectOf } from "./project.ts";

/**
 * Loads the configuration, and what in its file does not fit. The file is its owner's: it is read through a link, never
 * quarantined, never written. `unusable` says why nothing in the file counts. With `place`, the profile chosen there counts over
 * the file: the session's, else the project's.
 */
export function loadConfig(
	root: string | null,
	place?: ProfilePlace,
): { config: Config; problems: string[]; unusable?: string } {
	const file = (root && readObject(configPath(root))) || {};
	const chosen = root && place ? chosenProfile(root, place) : null;
	if (typeof file !== "string") return makeConfig(file, chosen?.config);
	return { config: makeConfig({}, chosen?.config).config, problems: [file], unusable: file };
}

/** Loads a valid profile. Throws with every key that does not fit, or with why there is no such profile. */
export function loadProfile(root: string, name: string): Profile {
	if (!isProfileName(name)) throw new Error(`'${name}' is no name for a profile: letters, digits, _ and -, at most 40`);
	const profile = readProfile(root, name);
	if (typeof profile === "string") throw new Error(profile);
	const { source, config } = profile;
	const problems = "embeddings" in config ? ["embeddings: only config.json may say where text is sent"] : [];
	problems.push(...makeConfig(config).problems);
	if (problems.length > 0) throw new Error(`profile ${source}: ${problems.join("; ")}`);
	return profile;
}

/** Lists all profiles, the store's and the built-in ones, by name. `problem` says what is wrong with a profile. */
export function listProfiles(root: string): (Profile & { problem?: string })[] {
	const own = namesIn(profilesFolder(root)).flatMap((file) => {
		const name = basename(file, ".json");
		return name !== file && isProfileName(name) ? name : [];
	});
	const names = [...new Set([...Object.keys(BUILT_IN), ...own])].sort();
	return names.map((name) => {
		try {
			return loadProfile(root, name);
		} catch (error) {
			return { name, description: "", source: profilePath(root, name), config: {}, problem: whyOf(error) };
		}
	});
}

/** Where a profile may have been chosen: for a session, for the project of a folder. */
export interface ProfilePlace {
	sid?: string | undefined;
	folder?: string | undefined;
}

const profilePath = (root: string, name: string): string => join(profilesFolder(root), `${name}.json`);

/** Reads the store's profile of a name, else the built-in one, unchecked; a text says why there is none. */
function readProfile(root: string, name: string): Profile | string {
	const source = profilePath(root, name);
	const value = readObject(source);
	if (typeof value === "string") return `profile ${source}: ${value}`;
	if (value) {
		const { description = "", ...config } = value as Record<string, unknown>;
		return { name, description: String(description), source, config };
	}
	if (Object.hasOwn(BUILT_IN, name)) return { name, source: "built-in", ...BUILT_IN[name]! };
	return `no profile '${name}': there is no ${source} and none is built in; 'ccg config' shows those there are`;
}

/** The profile that counts at a place: the session's, else the project's; `null` when none was chosen, or it can't be read. Never throws. */
export function chosenProfile(
	root: string,
	{ sid, folder }: ProfilePlace,
): (Profile & { by: "session" | "project" }) | null {
	// the first choice makes this folder: without it no hook looks further
	if (!existsSync(chosenFolder(root))) return null;
	const session = isSessionId(sid) ? readText(choicePath(root, { sid })) : null;
	const name = session ?? (folder ? readText(choicePath(root, { folder })) : null);
	const profile = isProfileName(name) ? readProfile(root, name) : "";
	return typeof profile === "string" ? null : { ...profile, by: session === null ? "project" : "session" };
}

/** For whom a profile is chosen. */
type ProfileScope = { sid: string } | { folder: string };

/** Chooses a profile for a session or a project. Throws what the file system says. */
export const chooseProfile = (root: string, place: ProfileScope, name: string): void =>
	writeText(choicePath(root, place), name);

/** Removes the choice of a profile for a session or a project. */
export const forgetProfile = (root: string, place: ProfileScope): void =>
	rmSync(choicePath(root, place), { force: true });

const chosenFolder = (root: string): string => join(profilesFolder(root), "chosen");

const choicePath = (root: string, place: ProfileScope): string =>
	join(chosenFolder(root), "sid" in place ? `session-${place.sid}` : `project-${projectOf(place.folder).key}`);
