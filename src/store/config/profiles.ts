import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeJson } from "../gate.ts";
import { parseObject, readText } from "../json-file.ts";
import { isSessionId, profilesFolder } from "../paths.ts";
import { projectOf } from "../project.ts";

/** Where a profile may have been chosen: for a session, for the project of a folder. */
export interface ProfilePlace {
	sid?: string | undefined;
	folder?: string | undefined;
}

/** A profile as hooks read it: checked when it was chosen, so that no hook parses YAML. */
export interface ChosenProfile {
	name: string;
	/** The file it came from; `built-in` for one of ccg's own. */
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

/** The profile that counts at a place: the session's, else the project's; `null` when none was chosen. Never throws. */
export function chosenProfile(
	root: string,
	{ sid, folder }: ProfilePlace,
): (ChosenProfile & { by: "session" | "project" }) | null {
	// made by the first choice: without one no hook looks further
	if (!existsSync(chosenFolder(root))) return null;
	const session = isSessionId(sid) ? readChoice(choicePath(root, { sid })) : null;
	if (session) return { ...session, by: "session" };
	const project = folder ? readChoice(choicePath(root, { folder })) : null;
	return project && { ...project, by: "project" };
}

const MAX_BYTES = 64 * 1024;

function readChoice(path: string): ChosenProfile | null {
	const { name, source, config } = parseObject(readText(path, MAX_BYTES) ?? "") ?? {};
	// text goes where config.json says, and nowhere else
	const { embeddings: _, ...sections } = (config ?? {}) as Record<string, unknown>;
	return isProfileName(name) && config instanceof Object ? { name, source: String(source), config: sections } : null;
}

/** For whom a profile is chosen. */
type ProfileScope = { sid: string } | { folder: string };

/** Chooses a profile for a session or a project. Throws what the file system says. */
export const chooseProfile = (root: string, place: ProfileScope, { name, source, config }: ChosenProfile): void =>
	writeJson(choicePath(root, place), { name, source, config });

/** Takes a choice back. */
export const forgetProfile = (root: string, place: ProfileScope): void =>
	rmSync(choicePath(root, place), { force: true });

const chosenFolder = (root: string): string => join(profilesFolder(root), "chosen");

const choicePath = (root: string, place: ProfileScope): string =>
	join(
		chosenFolder(root),
		"sid" in place ? `session-${place.sid}.json` : `project-${projectOf(place.folder).key}.json`,
	);
