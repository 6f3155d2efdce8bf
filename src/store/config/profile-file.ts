import { existsSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../files/names-in.ts";
import { readBytes } from "../json-file.ts";
import { profilesFolder } from "../paths.ts";
import { configured } from "./config.ts";
import { BUILT_IN, type ChosenProfile, isProfileName } from "./profiles.ts";

/** A profile as its author wrote it, checked. */
export interface Profile extends ChosenProfile {
	description: string;
}

/** A profile is a page. */
const MAX_BYTES = 8 * 1024;

/**
 * Reads `profiles/<name>.yaml` of the store, or a built-in profile of that name. The same rules as for `config.json` hold;
 * throws with every key that does not fit, or with why it is no YAML.
 */
export function loadProfile(root: string, name: string): Profile {
	if (!isProfileName(name)) throw new Error(`'${name}' is no name for a profile: letters, digits, _ and -, at most 40`);
	const path = profilePath(root, name);
	if (!existsSync(path)) {
		if (Object.hasOwn(BUILT_IN, name)) return { name, source: "built-in", ...BUILT_IN[name]! };
		throw new Error(
			`no profile '${name}': there is no ${path} and none is built in; 'ccg config' shows those there are`,
		);
	}
	const file = readBytes(path, { maxBytes: MAX_BYTES });
	if (file.state !== "good")
		throw new Error(`profile ${path}: it can't be read: ${file.state === "absent" ? "it is gone" : file.reason}`);
	const value = parsed(file.text, path);
	if (value === null || typeof value !== "object" || Array.isArray(value))
		throw new Error(`profile ${path}: it must hold sections of the configuration, such as 'marker:' or 'nudge:'`);
	const { description = "", ...config } = value as Record<string, unknown>;
	const problems = "embeddings" in config ? ["embeddings: only config.json may say where text is sent"] : [];
	problems.push(...configured(config).problems);
	if (problems.length > 0) throw new Error(`profile ${path}: ${problems.join("; ")}`);
	return { name, description: String(description), source: path, config };
}

/** All profiles: the store's and the built-in ones, by name. What is wrong with one stands in `problem`. */
export function listProfiles(root: string): (Profile & { problem?: string })[] {
	const files = namesIn(profilesFolder(root)).filter((name) => name.endsWith(".yaml"));
	const own = files.map((name) => name.slice(0, -".yaml".length)).filter(isProfileName);
	const names = [...new Set([...Object.keys(BUILT_IN), ...own])].sort();
	return names.map((name) => {
		try {
			return loadProfile(root, name);
		} catch (error) {
			const problem = error instanceof Error ? error.message : String(error);
			return { name, description: "", source: profilePath(root, name), config: {}, problem };
		}
	});
}

const profilePath = (root: string, name: string): string => join(profilesFolder(root), `${name}.yaml`);

function parsed(text: string, path: string): unknown {
	try {
		return Bun.YAML.parse(text);
	} catch (error) {
		throw new Error(`profile ${path}: no YAML: ${(error as Error).message}`, { cause: error });
	}
}
