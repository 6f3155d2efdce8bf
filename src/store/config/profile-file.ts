import { existsSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../files/names-in.ts";
import { readBytes } from "../json-file.ts";
import { profilesFolder } from "../paths.ts";
import { DEFAULT_CONFIG, takeSections } from "./config.ts";
import { BUILT_IN, type CompiledProfile, isProfileName } from "./profiles.ts";

/** A profile as its author wrote it, checked. */
export interface Profile {
	name: string;
	description: string;
	/** Path of the file, or `built-in`. */
	source: string;
	config: Record<string, Record<string, unknown>>;
}

/**
 * A profile is a page. Much larger ones, or ones of little but marks, cost the YAML parser seconds and gigabytes (measured on
 * yaml 2.9: 256 KB of quotation marks, 30 s and 6 GB; the worst of this size half a second).
 */
const MAX_BYTES = 8 * 1024;

/**
 * Reads `profiles/<name>.yaml` (or `.yml`) of the store, or a built-in profile of that name. The same rules as for `config.json` hold;
 * throws with every key that does not fit, or with the line that is no YAML.
 */
export async function loadProfile(root: string, name: string): Promise<Profile> {
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
	const { text } = file;
	const value = await parse(text, path);
	if (value === null || typeof value !== "object" || Array.isArray(value))
		throw new Error(`profile ${path}: it must hold sections of the configuration, such as 'marker:' or 'nudge:'`);
	const { description = "", name: own = name, ...sections } = value as Record<string, unknown>;
	const problems: string[] = [];
	if (typeof description !== "string") problems.push("description: must be a string");
	if (own !== name) problems.push(`name: must be "${name}", as the file is called`);
	if ("embeddings" in sections) problems.push("embeddings: only config.json may say where text is sent");
	const whole = structuredClone(DEFAULT_CONFIG);
	takeSections(whole, sections, problems);
	const { warn, compress, critical } = whole.task;
	if (!(warn <= compress && compress <= critical && critical <= 1))
		problems.push(
			`task: warn ${warn}, compress ${compress}, critical ${critical} must rise from 0 to 1 (a key left out has its default)`,
		);
	if (problems.length > 0) throw new Error(`profile ${path}: ${problems.join("; ")}`);
	return { name, description: String(description), source: path, config: sections as Profile["config"] };
}

/** All profiles: the store's and the built-in ones, by name. What is wrong with one stands in `problem`. */
export async function listProfiles(root: string): Promise<(Profile & { problem?: string })[]> {
	const files = namesIn(profilesFolder(root));
	const own = files.flatMap((file) => {
		const name = /^(.+)\.ya?ml$/.exec(file)?.[1];
		return isProfileName(name) ? name : [];
	});
	const names = [...new Set([...Object.keys(BUILT_IN), ...own])].sort();
	return Promise.all(
		names.map(async (name) => {
			try {
				return await loadProfile(root, name);
			} catch (error) {
				const problem = error instanceof Error ? error.message : String(error);
				return { name, description: "", source: profilePath(root, name), config: {}, problem };
			}
		}),
	);
}

export const compiled = ({ name, source, config }: Profile, now: Date): CompiledProfile => ({
	name,
	compiled_at: now.toISOString(),
	source,
	config,
});

/** `.yml` too is YAML; with both there `.yaml` counts. */
function profilePath(root: string, name: string): string {
	const path = join(profilesFolder(root), `${name}.yaml`);
	const short = join(profilesFolder(root), `${name}.yml`);
	return !existsSync(path) && existsSync(short) ? short : path;
}

async function parse(text: string, path: string): Promise<unknown> {
	// only who writes or chooses profiles pays for the parser
	const { parseDocument } = await import("yaml");
	const document = parseDocument(text, { version: "1.2", stringKeys: true });
	const [error] = document.errors;
	if (error) throw new Error(`profile ${path}: no YAML: ${error.message.split("\n")[0]!.replace(/:$/, "")}`);
	try {
		return document.toJS({ maxAliasCount: 20 });
	} catch (error) {
		throw new Error(`profile ${path}: no YAML that can be used: ${(error as Error).message}`, { cause: error });
	}
}
