import * as z from "zod/mini";
import { MACHINE } from "./carrier.ts";

export const MAX_TEXT = 64 * 1024;
export const MAX_VALUES = 20_000;
/** What one value may replace, and how many machines may have been taken out. */
const MAX_REPLACED = 1_000;
export const MAX_REMOVED = 1_000;
const ID = /^([0-9a-f]{32})-(\d{1,16})-[0-9a-f]{8}$/;

const text = (most: number) => z.string().check(z.maxLength(most));
const machine = z.string().check(z.regex(MACHINE));
const id = z.string().check(z.regex(ID));

const value = z.object({
	/** `MACHINE-VERSION-RANDOM`: who said it, in which version first. */
	id,
	item: z.string().check(z.regex(/^[\w.:-]{1,120}$/)),
	kind: z.enum(["note", "session"]),
	/** What marks a project (`marks.ts`). */
	project: z.string().check(z.regex(/^(?:all|[0-9a-f]{32})$/)),
	text: z.nullable(text(MAX_TEXT)),
	/** ISO 8601, by the clock of who said it. */
	at: z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)),
	replaces: z.array(id).check(z.maxLength(MAX_REPLACED)),
});
export type Value = z.infer<typeof value>;

const content = z.object({
	/** `ann on laptop`. */
	name: text(400),
	/** Of other machines the version that was known when this was written. */
	seen: z.record(machine, z.int()),
	/** The other members, each with what age encrypts to for it, or `""`. */
	members: z.record(machine, text(100)),
	/** Machines that were taken out. */
	removed: z.array(machine).check(z.maxLength(MAX_REMOVED)),
	/** Machines that were let in here, each with the proof that its code was typed. */
	letIn: z.record(machine, text(100)),
	/** The proof of a machine that asks to be let in; `""` of a member. */
	ask: text(100),
	/** Notes stand in the order of their file. */
	values: z.array(value).check(z.maxLength(MAX_VALUES)),
});

/**
 * What a machine said and still stands: it alone writes this, and `version` rises each time. How it works:
 *
 * - What stands is every value that no other one replaces. Two that stand for one item are a conflict; both are kept.
 * - A value names in `replaces` those of other machines that it takes the place of, and what these had replaced. Its own earlier
 *   ones it just leaves out, since a document is written whole.
 * - A text of `null` is a deletion: it stands for nothing, and only replaces.
 * - A machine leaves a value out when another one replaced it. A value forgets what it replaced when the machine that said it has
 *   left it out and every member has seen the value; a deletion that has nothing left to forget goes. The id of a value holds the
 *   version that first had it, so "has seen" is a comparison of numbers.
 * - What others have seen is written only where somebody waits for it, so that machines do not answer each other for ever.
 * - Each document repeats who belongs and who was taken out; who was taken out stays so for good.
 * - Times are for people. Nothing is decided by a clock.
 */
export type Document = { machine: string; version: number } & z.infer<typeof content>;

export const machineIn = (id: string): string => id.slice(0, 32);
const versionIn = (id: string): number => Number(ID.exec(id)?.[2]);

/** Checks the content of a machine's document, and gives the document. Throws an error that says what is wrong with its form. */
export function documentIn(json: unknown, machine: string, version: number): Document {
	const { data, error } = content.safeParse(json);
	if (!data) throw new Error(`it has another form (${String(error.issues[0]?.path[0])})`);
	const isOwn = (id: string): boolean => machineIn(id) === machine;
	for (const { id, replaces } of data.values)
		if (!isOwn(id) || versionIn(id) > version || replaces.some(isOwn))
			throw new Error("one of its values is not its own");
	if (new Set(data.values.map(({ id }) => id)).size < data.values.length)
		throw new Error("two of its values have one id");
	return { machine, version, ...data };
}

/** Makes a value of this machine that replaces the values `before`: its own and those of other machines. */
export function newValue(
	{ machine, version }: Pick<Document, "machine" | "version">,
	fields: Omit<Value, "id" | "replaces">,
	before: readonly Value[] = [],
): Value {
	const ids = new Set(before.flatMap(({ id, replaces }) => [id, ...replaces]));
	const replaces = [...ids]
		.filter((id) => machineIn(id) !== machine)
		.slice(0, MAX_REPLACED)
		.sort();
	const random = crypto.randomUUID().slice(0, 8);
	return { id: `${machine}-${version + 1}-${random}`, ...fields, replaces };
}

/** For the id and item of each value that was replaced the value that replaced it; of several the one that was read last. */
export type Replaced = Map<string, Value>;

/** Gives the value that replaced this one, if any: only a value of the same item may. */
export const replacedBy = (replaced: Replaced, { id, item }: Value): Value | undefined => replaced.get(`${id} ${item}`);

/** What a merge has to know of the other members' documents. It is gathered one by one, so that no two of them are in memory at once. */
export interface Seen {
	own: Document;
	/** The ids of the values that this machine's values replaced. */
	replacedHere: Set<string>;
	replaced: Replaced;
	/** The version of each other document. */
	versions: Map<string, number>;
	/** The version of this machine's document that each other machine has seen. */
	ownSeenBy: Map<string, number>;
	/** Those of the ids `replacedHere` that other documents still hold. */
	stillThere: Set<string>;
	/** Whether a member waits to be told that this machine has seen its values. */
	isAwaited: boolean;
}

export const nothingSeen = (own: Document): Seen => ({
	...{ own, replacedHere: new Set(own.values.flatMap(({ replaces }) => replaces)) },
	...{ replaced: new Map(), versions: new Map(), ownSeenBy: new Map(), stillThere: new Set(), isAwaited: false },
});

/** Adds a member's document to what is known of the others. */
export function addToSeen(seen: Seen, other: Document): void {
	const { own, replacedHere } = seen;
	seen.versions.set(other.machine, other.version);
	seen.ownSeenBy.set(other.machine, other.seen[own.machine] ?? 0);
	for (const value of other.values) {
		if (replacedHere.has(value.id)) seen.stillThere.add(value.id);
		for (const id of value.replaces) seen.replaced.set(`${id} ${value.item}`, value);
		if (value.replaces.length > 0 && versionIn(value.id) > (own.seen[other.machine] ?? 0)) seen.isAwaited = true;
	}
}

/**
 * Gives this machine's next document: without notes that others replaced (those in `staying` stay), and without `replaces` that no member
 * needs any more. Gives the same object where nothing is to be written.
 */
export function mergeDocuments(own: Document, seen: Seen, staying: ReadonlySet<Value> = new Set()): Document {
	// (a machine without a document there waits for nothing)
	const areAllAt = (version: number): boolean => [...seen.ownSeenBy.values()].every((one) => one >= version);
	const values = own.values.flatMap((value) => {
		if (value.kind === "note" && replacedBy(seen.replaced, value) && !staying.has(value)) return [];
		const isForgotten = (id: string): boolean => !seen.stillThere.has(id) && areAllAt(versionIn(value.id));
		const replaces = value.replaces.filter((id) => !isForgotten(id));
		if (value.text === null && replaces.length === 0) return [];
		return replaces.length === value.replaces.length ? value : { ...value, replaces };
	});
	const isSame = values.length === own.values.length && values.every((one, i) => one === own.values[i]);
	return isSame && !seen.isAwaited ? own : { ...own, values, seen: Object.fromEntries([...seen.versions].sort()) };
}
