import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeText } from "../gate.ts";
import { readObject, readText } from "../json-file.ts";
import { isSessionId, profilesFolder } from "../paths.ts";
import { projectOf } from "../project.ts";

/** Where a profile may have been chosen: for a session, for the project of a folder. */
export interface ProfilePlace {
	sid?: string | undefined;
	folder?: string | undefined;
}

/** A profile as its author wrote it. */
export interface Profile {
	name: string;
	description: string;
	/** The file it stands in; `built-in` for one of ccg's own. */
	source: string;
	/** Sections of the configuration. */
	config: Record<string, unknown>;
}

/** Profiles that are always there; a file of the same name takes their place. */
export const BUILT_IN: Record<string, { description: string; config: Record<string, unknown> }> = {
	default: { description: "config.json as it is", config: {} },
	careful: {
		description: "earlier and firmer nudges, a shorter steering text, changes held back at critical pressure",
		config: {
			marker: { rule: "distance", headroomTokens: 60_000, minUsedShare: 0.3 },
			nudge: { wording: "directive" },
			steering: { maxChars: 2_500 },
			guard: { mode: "enforce" },
		},
	},
	quiet: {
		description:
			"no nudge, no halt gate, no line after a compaction, little at a start; checkpoints and recovery go on",
		config: {
			nudge: { wording: "off" },
			recovery: { tellUser: false },
			startup: { maxChars: 1_000 },
			guard: { mode: "off" },
			workspaceFile: { enabled: false },
		},
	},
};

/** A profile is a file of its name. */
export const isProfileName = (name: unknown): name is string =>
	typeof name === "string" && /^[A-Za-z0-9_-]{1,40}$/.test(name);

export const profilePath = (root: string, name: string): string => join(profilesFolder(root), `${name}.json`);

/** The store's profile of a name, else the built-in one; a text says why there is none. */
export function readProfile(root: string, name: string): Profile | string {
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
	// made by the first choice: without one no hook looks further
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

/** Takes a choice back. */
export const forgetProfile = (root: string, place: ProfileScope): void =>
	rmSync(choicePath(root, place), { force: true });

const chosenFolder = (root: string): string => join(profilesFolder(root), "chosen");

const choicePath = (root: string, place: ProfileScope): string =>
	join(chosenFolder(root), "sid" in place ? `session-${place.sid}` : `project-${projectOf(place.folder).key}`);
