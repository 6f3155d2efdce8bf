import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Carried, Carrier } from "../../src/sync/carrier.ts";
import { gitIn } from "./git.ts";
import { memoryCarrier, newShelf } from "./sync-carrier.ts";
import type { Change, Core } from "./sync-core.ts";

/** Called at each step of a machine. Where the machine dies there it never answers; `last`: what is still done before. */
export type Step = (last?: () => unknown) => Promise<void>;

/** What comes from one machine's place to another's. */
export interface Delivery {
	from: number;
	to: number;
	/** The machine that wrote it. */
	writer: number;
	/** Of four. */
	part: number;
	/** Also where that goes back to an older state. */
	back: boolean;
	/** The newer files come first. */
	late: boolean;
}

/** How the machines of a history reach each other: each has a place of its own, or all have the same one. */
export interface Way {
	/** Opens what a machine writes to and reads. Within it `step` is called too, where the carrier does much at once. */
	open(i: number, step: Step): Promise<Carrier>;
	/** Of a batch that was being appended at a kill a half may be there. */
	tear?(i: number, batch: Carried): void;
	/** Behind a machine that died, or failed. */
	bury?(i: number): void | Promise<void>;
	/** Where each has a place of its own. */
	deliver?(delivery: Delivery): void;
	/** Where there is a server: kills it and starts it again. */
	crash?(): Promise<void>;
	end?(): Promise<void>;
}
export type MakeWay = (core: Core, base: string, machines: readonly string[]) => Way | Promise<Way>;

export const SPACE = "5".repeat(32);
/** A document of a machine in a history. */
export const documentOf = (machine: string): string => `confirm/h/${machine}`;

/** Not one of a snapshot: those only come. */
const isOwn = (name: string): boolean => name.startsWith(documentOf(""));

export const inMemory: MakeWay = (_, __, machines) => {
	const shelves = machines.map(newShelf);
	return {
		open: async (i) => memoryCarrier(shelves[i]!),
		deliver({ from, to, writer, part, back }) {
			const [there, here, machine] = [shelves[from]!, shelves[to]!, machines[writer]!];
			const all = there.batches.get(machine) ?? [];
			const some = all.slice(0, Math.ceil((all.length * part) / 4));
			const lastIn = (batches: readonly Carried[] = []): number => batches.at(-1)?.seq ?? 0;
			if (back || lastIn(some) >= lastIn(here.batches.get(machine))) here.batches.set(machine, some);
			for (const [name, bytes] of part === 4 ? there.documents : []) if (!isOwn(name)) here.documents.set(name, bytes);
			const name = documentOf(machine);
			if (from !== writer && !back) return;
			const document = there.documents.get(name);
			if (document) here.documents.set(name, document);
			else here.documents.delete(name);
		},
	};
};

/** So that a history fills some. */
const SEGMENT = 4096;
export const SMALL_SEGMENTS: Change = ["folder.ts", "const SEGMENT = 256 * 1024;", `const SEGMENT = ${SEGMENT};`];

/** Each has a copy of the folder, and something brings files from one to another. */
export const inFolders: MakeWay = ({ folder }, base, machines) => {
	const places = machines.map((_, i) => join(base, `folder-${i}`));
	for (const place of places) fs.mkdirSync(place);
	const below = (i: number, ...names: string[]): string => join(places[i]!, folder.OURS, SPACE, ...names);
	const filesOf = (at: string): string[] =>
		fs.existsSync(at)
			? fs
					.readdirSync(at)
					.filter((name) => /^\d{10}\.log$/.test(name))
					.sort()
			: [];
	const sizeOf = (path: string): number => fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
	/** Puts a file there, and beside it the copy that a synchroniser makes where it finds two. */
	const put = (at: string, name: string, bytes: Uint8Array, isDoubled: boolean): void => {
		fs.mkdirSync(at, { recursive: true });
		for (const one of isDoubled ? [name, name.replace(/(\.log)?$/, ".sync-conflict-20261124-100000-A$1")] : [name])
			fs.writeFileSync(join(at, one), bytes);
	};
	return {
		open: async (i) => folder.folderCarrier(places[i]!, SPACE, { create: true }),
		tear(i, { seq, project, bytes }) {
			const at = below(i, machines[i]!);
			const last = filesOf(at).at(-1);
			const isFull = !last || sizeOf(join(at, last)) >= SEGMENT;
			const line = Buffer.concat([Buffer.from(`${project ?? "-"} `), bytes]);
			fs.mkdirSync(at, { recursive: true });
			const name = isFull ? `${String(seq).padStart(10, "0")}.log` : last;
			fs.appendFileSync(join(at, name), line.subarray(0, 1 + (line.length * (seq % 7)) / 7));
		},
		deliver({ from, to, writer, part, back, late }) {
			if (from === to) return;
			const machine = machines[writer]!;
			const [there, here] = [below(from, machine), below(to, machine)];
			const names = filesOf(there);
			let left = (names.reduce((all, name) => all + sizeOf(join(there, name)), 0) * part) / 4;
			for (const name of late ? names.toReversed() : names) {
				const bytes = fs.readFileSync(join(there, name));
				const some = bytes.subarray(0, Math.max(0, left));
				left -= bytes.length;
				if (back || some.length >= sizeOf(join(here, name))) put(here, name, some, back);
			}
			const documents = below(from, "documents");
			for (const name of part === 4 && fs.existsSync(documents)
				? fs.readdirSync(documents, { recursive: true, encoding: "utf8" })
				: [])
				if (!isOwn(name) && fs.statSync(join(documents, name)).isFile())
					put(dirname(below(to, "documents", name)), basename(name), fs.readFileSync(join(documents, name)), false);
			const isWhole = from === writer && part === 4;
			if (isWhole) for (const name of filesOf(here)) if (!names.includes(name)) fs.rmSync(join(here, name));
			if (from !== writer && !back) return;
			const [path, at] = [below(from, "documents", documentOf(machine)), below(to, "documents/confirm/h")];
			if (fs.existsSync(path)) put(at, machine, fs.readFileSync(path), back);
			else fs.rmSync(join(at, machine), { force: true });
		},
	};
};

/** What git does is a step too: `open` says by which home that is known. */
const STEPS = new Map<string, Step>();
(globalThis as { ccgSteps?: typeof STEPS }).ccgSteps = STEPS;
export const STEPS_OF_GIT: Change = [
	"run-git.ts",
	"export function runGit(words: readonly string[], running: Running): Promise<Buffer> {",
	`export async function runGit(words: readonly string[], running: Running): Promise<Buffer> {
	const step = (globalThis as any).ccgSteps.get(running.env.HOME);
	await step?.();
	const out = await reallyRun(words, running);
	await step?.();
	return out;
}
function reallyRun(words: readonly string[], running: Running): Promise<Buffer> {`,
];

/** All share one bare repository; each has a clone. */
export const byGit: MakeWay = ({ git }, base, machines) => {
	const bare = join(base, "far.git");
	gitIn(base, base, ["init", "-q", "--bare", bare]);
	const lives = machines.map(() => 0);
	const cloneOf = (i: number): string => join(base, `clone-${i}-${lives[i]}`);
	return {
		async open(i, step) {
			const home = join(base, `home-${i}`);
			STEPS.set(home, step);
			return git.gitCarrier(cloneOf(i), bare, SPACE, { env: { PATH: process.env.PATH, HOME: home }, create: true });
		},
		// the one that died still holds its lock, which a process that ends does not
		bury(i) {
			const before = cloneOf(i);
			lives[i]!++;
			if (fs.existsSync(before)) fs.cpSync(before, cloneOf(i), { recursive: true });
			fs.rmSync(before, { recursive: true, force: true });
		},
	};
};
