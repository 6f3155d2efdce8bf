import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { COPY_FACTS } from "../store/app-folder.ts";

/** How ccg came onto this machine. */
export const WAYS = ["clone", "npm global", "npm project", "npx", "plugin", "folder"] as const;
export type Way = (typeof WAYS)[number];

/** What a copy of ccg tells of itself (`copy.json`). */
const factsShape = z.object({
	version: z.literal(1),
	/** Of ccg. */
	ccg: z.string(),
	way: z.enum(WAYS),
	/** The folder it was copied from. */
	from: z.string(),
	at: z.string(),
	/** Of the files it was made of; two copies of one hash hold the same. */
	hash: z.string(),
	/** The Bun its bytecode was made by; `null` without bytecode. */
	bytecode: z.nullable(z.string()),
	/** SHA-256 of each file by its path. */
	files: z.record(z.string(), z.string()),
});
export type CopyFacts = z.infer<typeof factsShape>;

/** What a copy tells of itself; `null` for a folder that is none, or one whose facts can't be read. */
export function copyFacts(folder: string): CopyFacts | null {
	try {
		const read = factsShape.safeParse(JSON.parse(readFileSync(join(folder, COPY_FACTS), "utf8")));
		return read.success ? read.data : null;
	} catch {
		return null;
	}
}

/** How the files of a package folder came there, by where they lie. */
export function wayOf(folder: string): Way {
	if (existsSync(join(folder, ".git"))) return "clone";
	if (existsSync(join(folder, ".claude-plugin", "plugin.json"))) return "plugin";
	if (/[/]_npx[/][^/]+[/]node_modules[/][^/]+$/.test(folder)) return "npx";
	if (/[/]lib[/]node_modules[/][^/]+$/.test(folder)) return "npm global";
	return /[/]node_modules[/][^/]+$/.test(folder) ? "npm project" : "folder";
}

/** The version in a package folder's package.json. */
export function versionIn(folder: string): string {
	const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version?: unknown };
	if (typeof version !== "string" || !/^[0-9A-Za-z.+-]{1,64}$/.test(version))
		throw new Error(`${join(folder, "package.json")} names no version`);
	return version;
}
