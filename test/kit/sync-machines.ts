import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deleteNote, editNote, saveMemory } from "../../src/memory/change.ts";
import { notesNamed } from "../../src/memory/notes.ts";
import { memoryPath, notesOf } from "../../src/memory/notes-file.ts";
import { projectFolder } from "../../src/store/project.ts";
import type { Carrier } from "../../src/sync/carrier.ts";
import { folderCarrier, spacesIn } from "../../src/sync/folder.ts";
import type { Kind } from "../../src/sync/items.ts";
import { confirmJoin, requestJoin } from "../../src/sync/join.ts";
import { foreignNotes } from "../../src/sync/shared.ts";
import { needSpace, newSpace, type Opened, publish, share, sharedHere, toShare } from "../../src/sync/space.ts";
import { syncNow } from "../../src/sync/sync.ts";
import { storeAt } from "./store.ts";

/** How a machine reaches what it shares, and which spaces are there. */
export interface Reached {
	open(space: string, create: boolean, root: string): Promise<Carrier>;
	spaces(root: string): Promise<string[]> | string[];
}

const byFolder = (folder: string): Reached => ({
	open: async (space, create) => folderCarrier(folder, space, { create }),
	spaces: () => spacesIn(folder),
});

/** A home of its own with a store and a clone of one project, which shares a folder with others, or what is reached in another way. */
export function machineAt(base: string, name: string, folder: string, reached = byFolder(folder)) {
	const home = join(base, name);
	const root = join(home, "store");
	const project = join(home, "src", "app");
	mkdirSync(root, { recursive: true, mode: 0o700 });
	mkdirSync(project, { recursive: true });
	const store = storeAt(root);
	const place = { ...store, scope: { cwd: project } };
	const env = { HOME: home, USER: name };
	const open = (space: string, create: boolean): Promise<Carrier> => reached.open(space, create, root);
	const begin = { address: folder, env, open };
	const using = async <T>(act: (opened: Opened) => Promise<T> | T): Promise<T> => {
		const opened = needSpace(store);
		try {
			return await act(opened);
		} finally {
			opened.close();
		}
	};
	const carrier = (opened: Opened) => () => open(opened.space.id, false);
	return {
		...{ name, home, root, project, place, store, env, using, carrier },
		async init(isSealed = false) {
			const opened = newSpace(store, { ...begin, isSealed });
			await publish(opened, open(opened.space.id, true));
			opened.close();
		},
		async join() {
			const [space = ""] = await reached.spaces(root);
			const { opened, code } = await requestJoin(store, { ...begin, space });
			opened.close();
			return code;
		},
		confirm: (code: string) =>
			using(async (opened) => {
				const there = await carrier(opened)();
				return confirmJoin(opened, there, code).finally(() => there.close());
			}),
		share: (kinds: Kind[] = ["notes"], id?: string) =>
			using((opened) => share(opened, toShare(opened, project, kinds, id))),
		sync: () => using((opened) => syncNow(opened, carrier(opened))),
		save: (text: string) => saveMemory({ ...place, target: "memory", text, now: new Date() }),
		edit: (named: string, text: string) => editNote(place, notesNamed(notesOf(place).notes, named)[0]!, text),
		remove: (named: string) => deleteNote(place, notesNamed(notesOf(place).notes, named)[0]!),
		notes: () => notesOf(place).notes.map(({ lines }) => lines.join("\n").replace(/^- /, "")),
		memory: () => readFileSync(memoryPath(place), "utf8"),
		/** What others wrote, as it is known here. */
		foreign: () =>
			using((opened) => foreignNotes(opened, sharedHere(opened)[0]!.id).map(({ text, by }) => `${by}: ${text}`)),
		shared: () => readFileSync(join(projectFolder(root, project), "shared.md"), "utf8"),
	};
}
export type TestMachine = ReturnType<typeof machineAt>;
