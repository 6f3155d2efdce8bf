import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type SaveRequest, saveMemory } from "../../../src/store/memory/memory.ts";
import { projectFolder } from "../../../src/store/project.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

export const NOW = new Date(2026, 0, 31, 9, 5);

/** Told to nobody. */
export const quiet = (): void => {};

/** A store, and a folder that is its project. */
export function place() {
	const root = join(scratch("store"), ".claude-memory");
	const cwd = scratch("work");
	const folder = projectFolder(root, cwd);
	const write = (path: string, content: string | Uint8Array) => {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, content);
		return path;
	};
	return {
		root,
		cwd,
		folder,
		memory: join(folder, "MEMORY.md"),
		log: join(folder, "log", "2026-01-31.md"),
		save: (text: string, more: Partial<SaveRequest> = {}) =>
			saveMemory({ ...storeAt(root), scope: { cwd }, target: "memory", text, now: NOW, ...more }),
		write,
		inProject: (name: string, content: string) => write(join(folder, name), content),
	};
}
