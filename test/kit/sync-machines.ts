import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deleteNote, editNote, saveMemory } from "../../src/memory/change.ts";
import { findNotes } from "../../src/memory/notes.ts";
import { readMemoryNotes, readSharedNotes } from "../../src/memory/notes-file.ts";
import { findProject, projectDataFolder } from "../../src/store/project.ts";
import { replaceForeignNote } from "../../src/sync/exchange.ts";
import { readLastSync } from "../../src/sync/last.ts";
import { projectMark } from "../../src/sync/marks.ts";
import { beginSpace, newSpace, requestJoin, syncNow } from "../../src/sync/members.ts";
import { readOwnDocument, requireSpace, writeSpace } from "../../src/sync/space.ts";
import { scratch } from "../scratch-home.ts";
import { storeAt } from "./store.ts";

/** A home of its own with a store and one project, which shares by an address. */
export function machineAt(base: string, name: string, address: string) {
	const home = join(base, name);
	const root = join(home, ".claude-memory");
	const project = join(home, "src", "app");
	mkdirSync(root, { recursive: true, mode: 0o700 });
	mkdirSync(project, { recursive: true });
	const store = storeAt(root);
	const place = { ...store, scope: { cwd: project } };
	const env = { HOME: home, USER: name, PATH: process.env.PATH };
	const shared = () => ({
		...{ key: findProject(project).key, folder: project, withSessions: true },
		mark: projectMark(project, "app", env),
	});
	const fileIn = (file: string): string => {
		const path = join(projectDataFolder(root, project), file);
		return existsSync(path) ? readFileSync(path, "utf8") : "";
	};
	const opened = () => requireSpace(store);
	const at = {
		...{ name, home, root, project, store, env, place, opened },
		id: () => opened().space.self.id,
		share: () => writeSpace({ ...opened(), space: { ...opened().space, projects: [shared()] } }),
		/** The PATH that exchanges have. */
		startWith(PATH: string): void {
			const { space } = opened();
			writeSpace({ store, space: { ...space, around: { ...space.around, PATH } } });
		},
		async init(isEncrypted = false) {
			await beginSpace(await newSpace(store, address, env, isEncrypted), env);
			at.share();
			await at.sync();
		},
		ask: () => requestJoin(store, address, env).then((code) => code!),
		/** Gives whom it let in. */
		letIn: (code: string) => syncNow(opened(), env, { code }).then(({ joined }) => joined),
		sync: (isMeant = false) => syncNow(opened(), env, { isConfirmed: isMeant }),
		last: () => readLastSync(opened()),
		own: () => readOwnDocument(opened()),
		save: (text: string) => saveMemory({ ...place, target: "memory", text, now: new Date() }),
		edit: (named: string, text: string) => editNote(place, findNotes(readMemoryNotes(place).notes, named)[0]!, text),
		remove: (named: string) => deleteNote(place, findNotes(readMemoryNotes(place).notes, named)[0]!),
		/** Changes or deletes a note of another machine. */
		change: (named: string, text: string | null) =>
			replaceForeignNote(opened(), place, findNotes(readSharedNotes(place).notes, named)[0]!, text),
		/** Its own notes, and what others wrote, each without who and when. */
		notes: () => readMemoryNotes(place).notes.map(({ lines }) => lines.join("\n").replace(/^- /, "")),
		foreign: () =>
			fileIn("shared.md")
				.split("\n")
				.flatMap((line) => /^- [^:]+:\d\d UTC[^:]*: (.*)$/.exec(line)?.[1] ?? []),
		...{ shared: () => fileIn("shared.md"), replaced: () => fileIn("replaced.md") },
	};
	return at;
}
export type TestMachine = ReturnType<typeof machineAt>;

/** Machines that share an address, each a member that knows the others. */
export async function membersAt(base: string, address: string, names: readonly string[], isEncrypted = false) {
	const machines = names.map((name) => machineAt(base, name, address));
	const [first, ...others] = machines;
	await first!.init(isEncrypted);
	for (const other of others) {
		const code = await other.ask();
		// (a server's login has none)
		if (code) await first!.letIn(code);
		other.share();
		await other.sync();
	}
	await syncAll(machines);
	return machines;
}

/** All exchange until each has what the others have seen. */
export async function syncAll(machines: readonly TestMachine[], rounds = 3): Promise<void> {
	for (let round = 0; round < rounds; round++) for (const one of machines) await one.sync();
}

/** Three members that share a folder; `fileOf`: a machine's document there. */
export async function threeAt(isEncrypted = false) {
	const base = scratch("machines");
	const folder = join(base, "shared");
	mkdirSync(folder);
	const all = await membersAt(base, folder, ["ann", "bob", "cid"], isEncrypted);
	const [ann, bob, cid] = all as [TestMachine, TestMachine, TestMachine];
	return { base, folder, all, ann, bob, cid, fileOf: (one: TestMachine) => join(folder, "ccg-sync", one.id()) };
}
