import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { quietly } from "./atomic-write.ts";
import { DEFAULT_CONFIG, takeSections } from "./config.ts";
import { readText } from "./json-file.ts";
import { profilesFolder } from "./paths.ts";
import { BUILT_IN, type CompiledProfile, isProfileName } from "./profiles.ts";

/** A profile as its author wrote it, checked. */
export interface Profile {
	name: string;
	description: string;
	/** Path of the file, or `built-in`. */
	source: string;
	config: Record<string, Record<string, unknown>>;
}

const MAX_BYTES = 256 * 1024;

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
			`no profile '${name}': there is no ${path} and none is built in; 'ccg profile list' shows those there are`,
		);
	}
	const text = readText(path, MAX_BYTES);
	if (text === null) throw new Error(`profile ${path}: it can't be read: no regular file, too large, or not permitted`);
	const value = await parse(text, path);
	if (value === null || typeof value !== "object" || Array.isArray(value))
		throw new Error(`profile ${path}: it must hold sections of the configuration, such as 'marker:' or 'nudge:'`);
	const { description = "", name: own = name, ...sections } = value as Record<string, unknown>;
	const problems: string[] = [];
	if (typeof description !== "string") problems.push("description: must be a string");
	if (own !== name) problems.push(`name: must be "${name}", as the file is called`);
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
	let files: string[] = [];
	quietly(() => {
		files = readdirSync(profilesFolder(root));
	});
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
	version: 1,
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
	const document = parseDocument(text, { maxAliasCount: 0, version: "1.2" } as Parameters<typeof parseDocument>[1]);
	const [error] = document.errors;
	if (error) throw new Error(`profile ${path}: no YAML: ${error.message.split("\n")[0]!.replace(/:$/, "")}`);
	return document.toJS({ maxAliasCount: 20 });
}
