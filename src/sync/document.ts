import { isObject } from "../core/transcript/decode.ts";
import { MACHINE } from "./carrier.ts";

/**
 * What a machine said and still stands: it alone writes this. How it works:
 *
 * - What stands is every value that no other one replaces. Two that stand for one item are a conflict; both are kept.
 * - A value names in `replaces` those of other machines that it takes the place of, and what these had replaced. Its own earlier
 *   ones it just leaves out, since a document is written whole.
 * - A text of `null` is a deletion: it stands for nothing, and only replaces.
 * - A machine leaves a value out when another one replaced it. A value forgets what it replaced when the machine that said it has
 *   left it out and every member has seen the value; a deletion that has nothing left to forget goes. The id of a value holds the
 *   version that first had it, so "has seen" is a comparison of numbers.
 * - What others have seen is written only where somebody waits for it, so that machines do not answer each other for ever.
 * - Members are told by everybody: each document repeats who belongs, and a removal outweighs that for good.
 * - Times are for people. Nothing is decided by a clock.
 */
export interface Document {
	space: string;
	machine: string;
	/** Rises with each one that is written. */
	version: number;
	/** `ann on laptop`. */
	name: string;
	/** Of other machines the version that was known when this was written. */
	seen: Record<string, number>;
	/** Notes stand in the order of their file. */
	values: Value[];
}

export interface Value {
	/** `MACHINE-VERSION-RANDOM`: who said it, in which version first. */
	id: string;
	item: string;
	kind: Kind;
	/** The marks of a project (`marks.ts`), with blanks between; `""` of members. */
	project: string;
	text: string | null;
	/** ISO 8601, by the clock of who said it. */
	at: string;
	replaces: string[];
}

/** `member`: the item is a machine; `ask`: the proof of a machine that asks to be one. */
const KINDS = ["note", "session", "member", "ask"] as const;
export type Kind = (typeof KINDS)[number];

export const MAX_TEXT = 64 * 1024;
const MAX_VERSION = 2 ** 50;
const ID = /^([0-9a-f]{32})-(\d{1,16})-[0-9a-f]{8}$/;
const ITEM = /^[\w.:-]{1,120}$/;

export const machineIn = (id: string): string => id.slice(0, 32);
const versionIn = (id: string): number => Number(ID.exec(id)?.[2]);

const isVersion = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) <= MAX_VERSION;
const isText = (value: unknown, most: number): value is string => typeof value === "string" && value.length <= most;

/** A document that came from elsewhere. Throws what is wrong with its form; kinds that are not known are left out. */
export function documentIn(found: unknown, head: Pick<Document, "space" | "machine" | "version">): Document {
	if (!isObject(found) || !isObject(found.seen) || !Array.isArray(found.values)) throw new Error("it has another form");
	const seen = Object.entries(found.seen).filter(([machine, version]) => MACHINE.test(machine) && isVersion(version));
	const values = (found.values as Value[]).filter((value) => isObject(value) && KINDS.includes(value.kind));
	const wrong = values.find((value) => !isValue(value, head));
	if (wrong) throw new Error(`one of its values has another form (${String(wrong.item).slice(0, 80)})`);
	if (new Set(values.map(({ id }) => id)).size < values.length) throw new Error("two of its values have one id");
	const name = isText(found.name, 400) ? found.name : "";
	return { ...head, name, seen: Object.fromEntries(seen) as Document["seen"], values };
}

const isValue = (
	{ id, kind, item, project, text, at, replaces }: Value,
	head: Pick<Document, "machine" | "version">,
): boolean =>
	isText(id, 80) &&
	ID.test(id) &&
	machineIn(id) === head.machine &&
	versionIn(id) <= head.version &&
	isText(item, 120) &&
	(kind === "member" ? MACHINE : ITEM).test(item) &&
	isText(project, 400) &&
	(text === null || isText(text, MAX_TEXT)) &&
	isText(at, 40) &&
	Array.isArray(replaces) &&
	replaces.every((one) => isText(one, 80) && ID.test(one) && machineIn(one) !== head.machine);

/** What a document holds of a kind. */
export const valuesOf = ({ values }: Pick<Document, "values">, kind: Kind): Value[] =>
	values.filter((one) => one.kind === kind);

/** A value to be said in the place of these, which are known here, its own and others'. */
export function newValue(
	{ machine, version }: Pick<Document, "machine" | "version">,
	said: Omit<Value, "id" | "replaces">,
	before: readonly Value[] = [],
): Value {
	const all = new Set(before.flatMap(({ id, replaces }) => [id, ...replaces]));
	const replaces = [...all].filter((id) => machineIn(id) !== machine).sort();
	const random = crypto.randomUUID().slice(0, 8);
	return { id: `${machine}-${version + 1}-${random}`, ...said, replaces };
}

/** What has been replaced, each id with the value that did it, the last one that is met. */
export type Replaced = Map<string, Value>;

/** What is to be known of the others, gathered document by document, so that no two of them are needed at once. */
export interface Seen {
	own: Document;
	/** What this machine's values replaced. */
	wanted: Set<string>;
	replaced: Replaced;
	/** The version of each. */
	versions: Map<string, number>;
	/** What each of them has seen of this machine. */
	ofOwn: Map<string, number>;
	/** Of what is wanted what is still there. */
	there: Set<string>;
	/** Whether one waits to be told that this machine has seen something. */
	isAwaited: boolean;
}

export const nothingSeen = (own: Document): Seen => ({
	...{ own, wanted: new Set(own.values.flatMap(({ replaces }) => replaces)) },
	...{ replaced: new Map(), versions: new Map(), ofOwn: new Map(), there: new Set(), isAwaited: false },
});

/** Adds a member's document to what is known. */
export function see(seen: Seen, other: Document): void {
	const { own, wanted } = seen;
	seen.versions.set(other.machine, other.version);
	seen.ofOwn.set(other.machine, other.seen[own.machine] ?? 0);
	for (const value of other.values) {
		if (wanted.has(value.id)) seen.there.add(value.id);
		for (const id of value.replaces) seen.replaced.set(id, value);
		if (value.replaces.length > 0 && versionIn(value.id) > (own.seen[other.machine] ?? 0)) seen.isAwaited = true;
	}
}

/**
 * This machine's document as it is to be: without what others replaced, but for what `isKept` says, and without what needs not be
 * remembered. The same object where nothing is to be written.
 */
export function mergeDocuments(own: Document, seen: Seen, isKept = (_: Value): boolean => false): Document {
	// who has no document there waits for nothing
	const hasSeen = (version: number): boolean => [...seen.ofOwn.values()].every((one) => one >= version);
	const values = own.values.flatMap((value) => {
		if (seen.replaced.has(value.id) && !isKept(value)) return [];
		const isForgotten = (id: string): boolean => !seen.there.has(id) && hasSeen(versionIn(value.id));
		const replaces = value.replaces.filter((id) => !isForgotten(id));
		if (value.text === null && value.kind !== "member" && replaces.length === 0) return [];
		return replaces.length === value.replaces.length ? value : { ...value, replaces };
	});
	const isSame = values.length === own.values.length && values.every((one, i) => one === own.values[i]);
	return isSame && !seen.isAwaited ? own : { ...own, values, seen: Object.fromEntries([...seen.versions].sort()) };
}

/** Of a document what stands. */
export const standing = ({ values }: Document, { replaced }: Pick<Seen, "replaced">): Value[] =>
	values.filter(({ id, text }) => text !== null && !replaced.has(id));

/** What a machine says of another one: that it is a member, with the proof of its code where it let it in, or with `null` that it is none. */
export const memberValue = (own: Document, item: string, now: Date, text: string | null = ""): Value =>
	newValue(own, { item, kind: "member", project: "", text, at: now.toISOString() });

/** The document with values about members, each in the place of what it said of that one. */
export function sayMembers(own: Document, fresh: readonly Value[]): Document {
	const items = new Set(fresh.map(({ item }) => item));
	const rest = own.values.filter(({ kind, item }) => kind !== "member" || !items.has(item));
	return { ...own, values: [...rest, ...fresh] };
}

export const isAsking = (document: Document): boolean => valuesOf(document, "ask").length > 0;
