import { expect } from "vitest";
import {
	addToSeen,
	type Document,
	emptySeen,
	newValue,
	replacementOf,
	type Seen,
	updateOwnDocument,
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

/** What stands in a document only because of what it replaced. */
export const rememberedIn = ({ values }: Document): Value[] =>
	values.filter(({ kind, text, replaces }) => kind === "note" && (text === null || replaces.length > 0));

const COPIES = 6;
const EMPTY = { version: 0, seen: {}, members: {}, removed: [], letIn: {}, ask: "", values: [] };

/** A machine: what it has written, the last copies of it at the carrier, and what it knows of the others. */
class Machine {
	own: Document;
	sent: Document[] = [];
	known = new Map<string, Document>();

	constructor(
		readonly id: string,
		private readonly random: (below: number) => number,
	) {
		this.own = { ...EMPTY, machine: id, name: id };
	}

	seen(): Seen {
		const seen = emptySeen(this.own);
		for (const other of this.known.values()) addToSeen(seen, other);
		return seen;
	}

	standing(): Value[] {
		const { replacements: replaced } = this.seen();
		for (const one of this.own.values) for (const id of one.replaces) replaced.set(`${id} ${one.item}`, one);
		const values = [this.own, ...this.known.values()].flatMap((document) => document.values);
		return values.filter((one) => one.text !== null && !replacementOf(replaced, one));
	}

	/** Says, edits or deletes a note. Gives what it said, and what it replaced knowingly. */
	change(name: string): { said: Value | null; gone: Value[] } {
		const there = this.standing();
		const items = [...new Set(there.map(({ item }) => item))];
		const item = items.length > 0 && this.random(4) > 0 ? items[this.random(items.length)]! : `note:${name}`;
		const before = there.filter((one) => one.item === item);
		// somebody may see only some of what stands for it
		const gone = this.random(5) === 0 ? before.slice(0, 1) : before;
		const text = this.random(4) === 0 ? null : `text ${name}`;
		if (text === null && gone.length === 0) return { said: null, gone };
		const value = newValue(this.own, { item, kind: "note", project: "p", text, at: "" }, gone);
		const rest = this.own.values.filter((one) => !gone.some((it) => it === one || it.replaces.includes(one.id)));
		const isNeeded = text !== null || value.replaces.length > 0;
		this.write({ ...this.own, values: isNeeded ? [...rest, value] : rest });
		return { said: text === null ? null : value, gone };
	}

	/**
	 * Reads what the others sent and sends its own: all of it, or a copy that may be an old one or come twice, and it may be killed before it
	 * sends.
	 */
	exchange(others: readonly Machine[], isWhole: boolean): void {
		for (const { id, sent } of others) {
			if (id === this.id || sent.length === 0 || (!isWhole && this.random(3) === 0)) continue;
			const copy = isWhole ? sent.at(-1)! : sent[this.random(sent.length)]!;
			// an old one is noticed by its version
			if (copy.version > (this.known.get(id)?.version ?? 0)) this.known.set(id, copy);
		}
		// (what others replaced may wait for a yes)
		const kept = this.own.values.filter(() => !isWhole && this.random(3) === 0);
		this.write(updateOwnDocument(this.own, this.seen(), new Set(kept)));
		if (!isWhole && this.random(6) === 0) return;
		if (this.sent.at(-1)?.version !== this.own.version && this.own.version > 0) this.sent.push(this.own);
		if (this.sent.length > COPIES) this.sent.shift();
	}

	private write(document: Document): void {
		if (document !== this.own) this.own = { ...document, version: this.own.version + 1 };
	}
}

/** Plays histories and looks at what stands everywhere, beside what has to. Gives how many operations that were. */
export function playHistories(from: number, to: number): number {
	let operations = 0;
	for (let seed = from; seed < to; seed++) {
		const random = randomOf(seed);
		const machines = Array.from({ length: 3 + (seed % 3) }, (_, i) => new Machine(String(i + 1).repeat(32), random));
		const [said, gone] = [new Set<string>(), new Set<string>()];
		for (let step = 0; step < 20 + (seed % 40); step++, operations++) {
			const one = machines[random(machines.length)]!;
			if (random(2) === 0) {
				const changed = one.change(`${seed}-${step}`);
				if (changed.said) said.add(changed.said.id);
				for (const { id } of changed.gone) gone.add(id);
			} else one.exchange(machines, false);
		}
		expect(settle(machines), `seed ${seed}`).toBeLessThan(10);
		for (const one of machines) {
			const stands = one.standing().map(({ id }) => id);
			expect(stands.sort(), `seed ${seed}`).toEqual([...said.difference(gone)].sort());
			expect(rememberedIn(one.own), `seed ${seed}`).toEqual([]);
		}
	}
	return operations;
}

/** All exchange until nobody writes any more. Gives how many rounds that took. */
function settle(machines: readonly Machine[]): number {
	const versions = (): string =>
		machines.flatMap(({ own, sent, known }) => [own, ...sent, ...known.values()].map((one) => one.version)).join();
	for (let round = 1; round < 30; round++) {
		const before = versions();
		for (const one of machines) one.exchange(machines, true);
		if (versions() === before) return round;
	}
	return Number.POSITIVE_INFINITY;
}
