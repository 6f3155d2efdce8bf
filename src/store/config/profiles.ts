import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeText } from "../gate.ts";
import { isSessionId, PROFILE_NAME, profilesFolder, sessionPaths } from "../paths.ts";
import type { Tell } from "../problems.ts";
import { projectFolder } from "../project.ts";
import type { Store } from "../session-handle.ts";
import { compiledProfile } from "../shapes.generated.ts";
import { type FileContent, kindOf, readGood, writeVersioned } from "../versioned-file.ts";

/** Where a profile may have been chosen: for a session, for the project of a folder. */
export interface ProfilePlace {
	sid?: string | undefined;
	folder?: string | undefined;
	/** Where to tell what the file of a choice is like. */
	tell: Tell;
}

export type CompiledProfile = FileContent<typeof PROFILE>;

/** Profiles that are always there; a file of the same name takes their place. */
export const BUILT_IN: Record<string, { description: string; config: Record<string, Record<string, unknown>> }> = {
	default: { description: "config.json as it is", config: {} },
	careful: {
		description: "earlier nudges, a longer steering text, changes held back at critical pressure",
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

export const isProfileName = (name: unknown): name is string => typeof name === "string" && PROFILE_NAME.test(name);

/** The profile that counts at a place: the session's, else the project's; `null` when none was chosen. Never throws. */
export function chosenProfile(
	root: string,
	{ sid, folder, tell }: ProfilePlace,
): (CompiledProfile & { by: "session" | "project" }) | null {
	// made by the first choice: without one no hook looks further
	if (!existsSync(profilesFolder(root))) return null;
	const session = isSessionId(sid) ? readGood(sessionPaths(root, sid).profile, PROFILE, tell) : null;
	if (session) return { ...session, by: "session" };
	const project = folder ? readGood(projectProfilePath(root, folder), PROFILE, tell) : null;
	return project && { ...project, by: "project" };
}

/** Chooses a compiled profile for a session or a project. Throws what the file system says. */
export function chooseProfile(
	{ root, tell }: Store,
	place: { sid: string } | { folder: string },
	profile: CompiledProfile,
): string {
	const path = "sid" in place ? sessionPaths(root, place.sid).profile : projectProfilePath(root, place.folder);
	writeVersioned(path, PROFILE, profile, { tell });
	writeText(join(profilesFolder(root), ".in-use"), "", { sync: false });
	return path;
}

/** Takes a choice back. */
export function forgetProfile(root: string, place: { sid: string } | { folder: string }): void {
	rmSync("sid" in place ? sessionPaths(root, place.sid).profile : projectProfilePath(root, place.folder), {
		force: true,
	});
}

const projectProfilePath = (root: string, folder: string): string => join(projectFolder(root, folder), "profile.json");

const PROFILE = kindOf("chosen profile", compiledProfile, { maxBytes: 64 * 1024 });
