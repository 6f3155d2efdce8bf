import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deleteNote, editNote, saveMemory } from "../../src/memory/change.ts";
import { noteText } from "../../src/memory/notes.ts";
import { readMemoryNotes, type ScopedStore } from "../../src/memory/notes-file.ts";
import { projectDataFolder } from "../../src/store/project.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";

export const NOW = new Date(2026, 0, 31, 9, 5);
export const GLOBAL = { global: true } as const;

/** A store, and a folder that is its project, with what stands in its MEMORY.md. */
export function place(content?: string | Uint8Array) {
	const root = join(scratch("store"), ".claude-memory");
	const cwd = scratch("work");
	const folder = projectDataFolder(root, cwd);
	const memory = join(folder, "MEMORY.md");
	const at = { ...storeAt(root), scope: { cwd } };
	const write = (path: string, text: string | Uint8Array) => {
		mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
		writeFileSync(path, text);
		return path;
	};
	if (content !== undefined) write(memory, content);
	const nth = (index: number) => readMemoryNotes(at).notes[index]!;
	return {
		root,
		cwd,
		folder,
		memory,
		at,
		log: join(folder, "log", "2026-01-31.md"),
		read: () => readFileSync(memory, "utf8"),
		texts: (scope: ScopedStore["scope"] = at.scope) => readMemoryNotes({ root, scope }).notes.map(noteText),
		save: (text: string, more: Partial<Parameters<typeof saveMemory>[0]> = {}) =>
			saveMemory({ ...at, target: "memory", text, now: NOW, ...more }),
		edit: (index: number, text: string) => editNote(at, nth(index), text),
		remove: (index: number) => deleteNote(at, nth(index)),
		write,
		inProject: (name: string, text: string) => write(join(folder, name), text),
	};
}
