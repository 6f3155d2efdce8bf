import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { scratch } from "../scratch-home.ts";

/** The part of `src/sync` that a history runs on: itself, or a copy in which something was changed. */
export interface Core {
	log: typeof import("../../src/sync/log.ts");
	state: typeof import("../../src/sync/state.ts");
	keys: typeof import("../../src/sync/keys.ts");
	tables: typeof import("../../src/sync/tables.ts");
	exchange: typeof import("../../src/sync/exchange.ts");
	batch: typeof import("../../src/sync/batch.ts");
	epochs: typeof import("../../src/sync/epochs.ts");
	compact: typeof import("../../src/sync/compact.ts");
	folder: typeof import("../../src/sync/folder.ts");
	git: typeof import("../../src/sync/git.ts");
}

const SRC = resolve(import.meta.dirname, "../../src");
const PARTS = ["log", "state", "keys", "tables", "exchange", "batch", "epochs", "compact", "folder", "git"] as const;

/** What is changed in a file: the one place where `from` stands. */
export type Change = readonly [file: string, from: string, to: string];

export async function coreWith(...changes: Change[]): Promise<Core> {
	const folder = changes.length > 0 ? copyWith(changes) : SRC;
	const parts = PARTS.map(async (part) => [part, await import(join(folder, "sync", `${part}.ts`))]);
	return Object.fromEntries(await Promise.all(parts));
}

function copyWith(changes: readonly Change[]): string {
	const folder = join(scratch("changed"), "src");
	mkdirSync(folder);
	for (const room of readdirSync(SRC)) if (room !== "sync") symlinkSync(join(SRC, room), join(folder, room));
	cpSync(join(SRC, "sync"), join(folder, "sync"), { recursive: true });
	for (const [file, from, to] of changes) {
		const path = join(folder, "sync", file);
		const parts = readFileSync(path, "utf8").split(from);
		if (parts.length !== 2) throw new Error(`'${from}' stands ${parts.length - 1} times in ${file}`);
		writeFileSync(path, parts.join(to));
	}
	return folder;
}
