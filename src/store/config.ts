import { existsSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { BUILT_IN, type Config, isProfileName, makeConfig, type Profile } from "../core/config/config.ts";
import { readObjectOrReason, readText } from "../files/json-file.ts";
import { listFolder } from "../files/quietly.ts";
import { errorText } from "../files/system-failure.ts";
import { writeText } from "./gate.ts";
import { configPath, isSessionId, profilesFolder } from "./paths.ts";
import { findProject } from "./project.ts";

/**
 * Loads the configuration. `problems` says what in its file is not valid, `unusable` why all of the file is ignored. The profile chosen for
 * a session, else for its project (`choosers`), overrides the file, which is read also through a link, and never written.
 */
export function loadConfig(
	root: string | null,
	choosers?: ProfileChoosers,
): { config: Config; problems: string[]; unusable?: string } {
	const file = (root && readObjectOrReason(configPath(root))) || {};
	const chosen = root && choosers ? readChosenProfile(root, choosers) : null;
	if (typeof file !== "string") return makeConfig(file, chosen?.config);
	return { config: makeConfig({}, chosen?.config).config, problems: [file], unusable: file };
}

/** Loads a valid profile. Throws with every key that is not valid, or says why there is no such profile. */
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
	const own = listFolder(profilesFolder(root)).flatMap((file) => {
		const name = basename(file, ".json");
		return name !== file && isProfileName(name) ? name : [];
	});
	const names = [...new Set([...Object.keys(BUILT_IN), ...own])].sort();
	return names.map((name) => {
		try {
			return loadProfile(root, name);
		} catch (error) {
			return { name, description: "", source: profilePath(root, name), config: {}, problem: errorText(error) };
		}
	});
}

/** For whom a profile may have been chosen: a session, and the project of a folder. */
export interface ProfileChoosers {
	sid?: string | undefined;
	folder?: string | undefined;
}

const profilePath = (root: string, name: string): string => join(profilesFolder(root), `${name}.json`);

/** Reads the store's profile of a name, else the built-in one, its keys unchecked; gives a text that says why there is none. */
function readProfile(root: string, name: string): Profile | string {
	const source = profilePath(root, name);
	const value = readObjectOrReason(source);
	if (typeof value === "string") return `profile ${source}: ${value}`;
	if (value) {
		const { description = "", ...config } = value as Record<string, unknown>;
		return { name, description: String(description), source, config };
	}
	if (Object.hasOwn(BUILT_IN, name)) return { name, source: "built-in", ...BUILT_IN[name]! };
	return `no profile '${name}': there is no ${source} and none is built in; 'ccg config' shows those there are`;
}

/** The profile chosen for a session, else for its project; `null` where none was chosen, or it can't be read. Never throws. */
export function readChosenProfile(
	root: string,
	{ sid, folder }: ProfileChoosers,
): (Profile & { by: "session" | "project" }) | null {
	// most stores have no choice, and this test is cheap
	if (!existsSync(profileChoicesFolder(root))) return null;
	const ownChoice = isSessionId(sid) ? readText(profileChoicePath(root, { sid })) : null;
	const name = ownChoice ?? (folder ? readText(profileChoicePath(root, { folder })) : null);
	const profile = isProfileName(name) ? readProfile(root, name) : "";
	return typeof profile === "string" ? null : { ...profile, by: ownChoice === null ? "project" : "session" };
}

type ProfileChooser = { sid: string } | { folder: string };

/** Keeps which profile was chosen for a session or a project. Throws what the file system says. */
export const writeProfileChoice = (root: string, chooser: ProfileChooser, profile: string): void =>
	writeText(profileChoicePath(root, chooser), profile);

/** Removes the choice of a profile for a session or a project. */
export const removeProfileChoice = (root: string, chooser: ProfileChooser): void =>
	rmSync(profileChoicePath(root, chooser), { force: true });

/** The folder with the files of `profileChoicePath`. */
const profileChoicesFolder = (root: string): string => join(profilesFolder(root), "chosen");

/** The file that holds the chosen profile's name. */
function profileChoicePath(root: string, chooser: ProfileChooser): string {
	const name = "sid" in chooser ? `session-${chooser.sid}` : `project-${findProject(chooser.folder).key}`;
	return join(profileChoicesFolder(root), name);
}
