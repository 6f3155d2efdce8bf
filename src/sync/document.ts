import * as z from "zod/mini";
import { MACHINE_ID } from "./carrier.ts";

export const MAX_TEXT = 64 * 1024;
export const MAX_VALUES = 20_000;
const MAX_REPLACED = 1_000; // by one value
export const MAX_REMOVED = 1_000;
const ID = /^([0-9a-f]{32})-(\d{1,16})-[0-9a-f]{8}$/;

/** The shape of a text of at most so many characters. */
const textShape = (maxLength: number) => z.string().check(z.maxLength(maxLength));
const machine = z.string().check(z.regex(MACHINE_ID));
const id = z.string().check(z.regex(ID));

const value = z.object({
	/** `MACHINE-VERSION-RANDOM`: who said it, in which version first. */
	id,
	item: z.string().check(z.regex(/^[\w.:-]{1,120}$/)),
	kind: z.enum(["note", "session"]),
	/** What marks a project (`marks.ts`). */
	project: z.string().check(z.regex(/^(?:all|[0-9a-f]{32})$/)),
	text: z.nullable(textShape(MAX_TEXT)),
	/** ISO 8601, by the clock of who said it. */
	at: z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)),
	replaces: z.array(id).check(z.maxLength(MAX_REPLACED)),
});
export type Value = z.infer<typeof value>;

const content = z.object({
	/** `ann on laptop`. */
	name: textShape(400),
	/** Of other machines the version that was known when this was written. */
	seen: z.record(machine, z.int()),
	/** The other members, each with what age encrypts to for it, or `""`. */
	members: z.record(machine, textShape(100)),
	/** Machines that were taken out. */
	removed: z.array(machine).check(z.maxLength(MAX_REMOVED)),
	/** Machines that were let in here, each with the proof that its code was typed. */
	letIn: z.record(machine, textShape(100)),
	/** The proof of a machine that asks to be let in; `""` of a member. */
	ask: textShape(100),
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

/** The machine that wrote a value, by the value's id. */
export const authorOf = (valueId: string): string => valueId.slice(0, 32);
/** The version of its machine's document that first had a value, by the value's id. */
const versionOfId = (valueId: string): number => Number(ID.exec(valueId)?.[2]);

/** Checks the content of a machine's document, and gives the document. Throws an error that says what is wrong with its form. */
export function parseDocument(json: unknown, machine: string, version: number): Document {
	const { data, error } = content.safeParse(json);
	if (!data) throw new Error(`it has another form (${String(error.issues[0]?.path[0])})`);
	const isOwn = (id: string): boolean => authorOf(id) === machine;
	for (const { id, replaces } of data.values)
		if (!isOwn(id) || versionOfId(id) > version || replaces.some(isOwn))
			throw new Error("one of its values is not its own");
	if (new Set(data.values.map(({ id }) => id)).size < data.values.length)
		throw new Error("two of its values have one id");
	return { machine, version, ...data };
}

/** Makes a value of this machine that replaces the values `before`. Of these it names only other machines' (its own are just left out). */
export function newValue(
	{ machine, version }: Pick<Document, "machine" | "version">,
	fields: Omit<Value, "id" | "replaces">,
	before: readonly Value[] = [],
): Value {
	const ids = new Set(before.flatMap(({ id, replaces }) => [id, ...replaces]));
	const foreignIds = [...ids].filter((id) => authorOf(id) !== machine);
	const random = crypto.randomUUID().slice(0, 8);
	const replaces = foreignIds.slice(0, MAX_REPLACED).sort();
	return { id: `${machine}-${version + 1}-${random}`, ...fields, replaces };
}

/** For the id and item of each value that was replaced the value that replaced it; of several the one that was read last. */
export type Replacements = Map<string, Value>;

/** Gives the value that replaced this one, if any: only a value of the same item may. */
export const replacementOf = (all: Replacements, { id, item }: Value): Value | undefined => all.get(`${id} ${item}`);

/** What a merge has to know of the other members' documents. It is gathered one by one, so that no two of them are in memory at once. */
export interface Seen {
	own: Document;
	/** The ids of the values that this machine's values replaced. */
	replacedByOwn: Set<string>;
	replacements: Replacements;
	/** The version of each other document. */
	versions: Map<string, number>;
	/** The version of this machine's document that each other machine has seen. */
	ownSeenBy: Map<string, number>;
	/** Those of `replacedByOwn` that other documents still hold. */
	stillHeld: Set<string>;
	/** Whether a member waits to be told that this machine has seen its values. */
	isReplyAwaited: boolean;
}

/** What a merge knows of the other documents before any is read. */
export const emptySeen = (own: Document): Seen => ({
	...{ own, replacedByOwn: new Set(own.values.flatMap(({ replaces }) => replaces)), isReplyAwaited: false },
	...{ replacements: new Map(), versions: new Map(), ownSeenBy: new Map(), stillHeld: new Set() },
});

/** Adds a member's document to what is known of the others. */
export function addToSeen(seen: Seen, other: Document): void {
	const seenVersion = seen.own.seen[other.machine] ?? 0;
	seen.versions.set(other.machine, other.version);
	seen.ownSeenBy.set(other.machine, other.seen[seen.own.machine] ?? 0);
	for (const value of other.values) {
		if (seen.replacedByOwn.has(value.id)) seen.stillHeld.add(value.id);
		for (const id of value.replaces) seen.replacements.set(`${id} ${value.item}`, value);
		// it may forget what the value replaces when this machine says that it has seen the value
		if (value.replaces.length > 0 && versionOfId(value.id) > seenVersion) seen.isReplyAwaited = true;
	}
}

/**
 * Gives this machine's next document: without notes that others replaced (those in `staying` stay), and without `replaces` that no member
 * needs any more. Gives the same object where nothing is to be written.
 */
export function updateOwnDocument(own: Document, seen: Seen, staying: ReadonlySet<Value> = new Set()): Document {
	// (a machine without a document at the carrier waits for nothing)
	const haveAllSeen = (version: number): boolean => [...seen.ownSeenBy.values()].every((known) => known >= version);
	const values = own.values.flatMap((value) => {
		if (value.kind === "note" && replacementOf(seen.replacements, value) && !staying.has(value)) return [];
		const isSeenByAll = haveAllSeen(versionOfId(value.id));
		const replaces = value.replaces.filter((id) => !isSeenByAll || seen.stillHeld.has(id));
		if (value.text === null && replaces.length === 0) return [];
		return replaces.length === value.replaces.length ? value : { ...value, replaces };
	});
	const isSame = values.length === own.values.length && values.every((one, i) => one === own.values[i]);
	return isSame && !seen.isReplyAwaited ? own : { ...own, values, seen: Object.fromEntries([...seen.versions].sort()) };
}
