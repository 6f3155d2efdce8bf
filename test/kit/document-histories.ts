import { expect } from "vitest";
import {
	type Document,
	mergeDocuments,
	newValue,
	nothingSeen,
	replacedBy,
	type Seen,
	see,
	type Value,
} from "../../src/sync/document.ts";

/** Numbers that are the same for the same seed. */
export function randomOf(seed: number) {
	let state = seed * 2654435761 + 1;
	return (below: number): number => {
		state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) >>> 0;
		return Math.floor((((state ^ (state >>> 13)) >>> 0) / 2 ** 32) * below);
	};
}

const COPIES = 6;
const versionOf = ({ version }: Document): number => version;

/**
 * Machines that say, edit and delete notes, each with what it knows of the others. What they read may be an old copy of what another wrote,
 * or come twice; they may be killed between saying and sending.
 */
export function history(seed: number, machines = 4) {
	const random = randomOf(seed);
	const ids = Array.from({ length: machines }, (_, i) => String(i + 1).repeat(32));
	const empty = (machine: string): Document => ({
		machine,
		version: 0,
		name: machine,
		...{ seen: {}, members: {}, removed: [], letIn: {}, ask: "", values: [] },
	});
	/** What each has written, the last copies of it at the carrier, and what each knows of the others. */
	const all = new Map(
		ids.map((id) => [id, { own: empty(id), sent: [] as Document[], known: new Map<string, Document>() }]),
	);
	/** Every text that was said, by its value; and what somebody replaced knowingly, with what that had replaced. */
	const said = new Map<string, Value>();
	const gone = new Set<string>();
	let operations = 0;

	const seenBy = (id: string): Seen => {
		const { own, known } = all.get(id)!;
		const seen = nothingSeen(own);
		for (const other of known.values()) see(seen, other);
		return seen;
	};
	const standingAt = (id: string): Value[] => {
		const { own, known } = all.get(id)!;
		const seen = seenBy(id);
		for (const one of own.values) for (const id of one.replaces) seen.replaced.set(`${id} ${one.item}`, one);
		const values = [own, ...known.values()].flatMap((document) => document.values);
		return values.filter((one) => one.text !== null && !replacedBy(seen.replaced, one));
	};
	const write = (id: string, own: Document): void => {
		const at = all.get(id)!;
		if (own !== at.own) at.own = { ...own, version: at.own.version + 1 };
	};
	const change = (id: string): void => {
		const { own } = all.get(id)!;
		const there = standingAt(id);
		const items = [...new Set(there.map(({ item }) => item))];
		const item = items.length > 0 && random(4) > 0 ? items[random(items.length)]! : `note:${seed}-${operations}`;
		const before = there.filter((one) => one.item === item);
		// somebody may see only some of what stands for it
		const replaced = random(5) === 0 ? before.slice(0, 1) : before;
		const text = random(4) === 0 ? null : `text ${operations}`;
		const value = newValue(own, { item, kind: "note", project: "p", text, at: "" }, replaced);
		if (text === null && replaced.length === 0) return;
		if (text !== null) said.set(value.id, value);
		for (const one of replaced) gone.add(one.id);
		const rest = own.values.filter((one) => !replaced.some((it) => it === one || it.replaces.includes(one.id)));
		write(id, { ...own, values: text === null && value.replaces.length === 0 ? rest : [...rest, value] });
	};
	const read = (id: string, isWhole: boolean): void => {
		const { known } = all.get(id)!;
		for (const other of ids) {
			const { sent } = all.get(other)!;
			if (other === id || sent.length === 0 || (!isWhole && random(3) === 0)) continue;
			const copy = isWhole ? sent.at(-1)! : sent[random(sent.length)]!;
			// an old one is noticed by its version
			if (copy.version > (known.get(other)?.version ?? 0)) known.set(other, copy);
		}
		// (what others replaced may wait for a yes)
		const { own } = all.get(id)!;
		const kept = new Set(own.values.filter(() => !isWhole && random(3) === 0));
		write(id, mergeDocuments(own, seenBy(id), kept));
	};
	const send = (id: string): void => {
		const { own, sent } = all.get(id)!;
		if (sent.at(-1)?.version !== own.version && own.version > 0) sent.push(own);
		if (sent.length > COPIES) sent.shift();
	};
	const exchange = (id: string, isWhole = false): void => {
		read(id, isWhole);
		// (killed before it sends)
		if (isWhole || random(6) > 0) send(id);
	};
	return {
		...{ ids, all, said, gone, standingAt, exchange },
		run(steps: number) {
			for (let i = 0; i < steps; i++) {
				const id = ids[random(machines)]!;
				operations++;
				if (random(2) === 0) change(id);
				else exchange(id);
			}
			return operations;
		},
		/** All exchange until nobody writes any more. Gives how many rounds that took. */
		settle(): number {
			const state = (): string =>
				[...all.values()].flatMap(({ own, sent, known }) => [own, ...sent, ...known.values()].map(versionOf)).join();
			for (let round = 1; round < 30; round++) {
				const before = state();
				for (const id of ids) exchange(id, true);
				if (state() === before) return round;
			}
			return Number.POSITIVE_INFINITY;
		},
	};
}

/** What stands in a document only because of what it replaced. */
export const rememberedIn = ({ values }: Document): Value[] =>
	values.filter(({ kind, text, replaces }) => kind === "note" && (text === null || replaces.length > 0));

/** Plays histories and looks at what stands everywhere, beside what has to. Gives how many operations that were. */
export function playHistories(from: number, to: number): number {
	let operations = 0;
	for (let seed = from; seed < to; seed++) {
		const made = history(seed, 3 + (seed % 3));
		operations += made.run(20 + (seed % 40));
		expect(made.settle(), `seed ${seed}`).toBeLessThan(10);
		const wanted = [...made.said.keys()].filter((id) => !made.gone.has(id)).sort();
		for (const id of made.ids) {
			const stands = made.standingAt(id).map((one) => one.id);
			expect(stands.sort(), `seed ${seed}`).toEqual(wanted);
			expect(rememberedIn(made.all.get(id)!.own), `seed ${seed}`).toEqual([]);
		}
	}
	return operations;
}
