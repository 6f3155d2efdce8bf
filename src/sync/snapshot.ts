import { exact } from "../core/redact/secrets.ts";
import { safeDeep } from "../core/text/text.ts";
import { sha256 } from "../store/gate.ts";
import { parseObject } from "../store/json-file.ts";
import { FIELD, IS_OF_SPACE, ITEM, MAX_VALUE, OPERATION, placeOf } from "./batch.ts";
import { type Carrier, MACHINE } from "./carrier.ts";
import { CLOCK } from "./clock.ts";
import { keysIn, sealingKey } from "./epochs.ts";
import { fits, isCount, isText, listOf, optional } from "./form.ts";
import { openLine, type PublicKeys, seal, signedLine, unseal } from "./keys.ts";
import { type Floor, floorsIn, headsOf, type Log, membersIn, seqsOf, type Value } from "./state.ts";
import { keepFact } from "./tables.ts";

// A snapshot holds what stands up to a batch of each machine. `snapshot/NAME/head` is signed and names the parts by their hashes. Parts
// are lines: `space-N` has the batches about the space itself, as they were signed, so who is a member is proved anew; `PROJECT-N` has
// the values that stand and what was replaced before it came.

/** What a machine says, with what proves it. */
interface Signed {
	machine: string;
	isSignedBy(keys: PublicKeys): boolean;
}

/** The head, as it was signed. */
export interface Snapshot extends Signed {
	name: string;
	/** Milliseconds since 1970, by the maker's clock. */
	at: number;
	heads: Floor[];
	parts: { name: string; hash: string }[];
	epoch?: string;
	/** Of the head's bytes. */
	hash: string;
	/** Who says the same beside its maker; who signed that is still to be asked. */
	others: Signed[];
}

/** A value that stands, as JSON; `null`: it was replaced before it came. */
interface Row extends Omit<Value, "value" | "project"> {
	value: string | null;
	project: string;
}

type Texts = ReadonlyMap<string, string | null>;

const HASH = /^[0-9a-f]{64}$/;
const PART = /^(space|[0-9a-f]{32})-\d{1,4}$/;
const HEAD = {
	...{ machine: MACHINE, at: (value: unknown) => typeof value === "number", epoch: optional(isText) },
	heads: listOf((one) => fits(one, { machine: MACHINE, seq: isCount, hash: HASH })),
	parts: listOf((one) => fits(one, { name: PART, hash: HASH })),
};
const PART_BYTES = 8 * 1024 * 1024;

/** Whether the first reaches as far as the second with each machine. */
export const reaches = (far: readonly Floor[], near: readonly Omit<Floor, "hash">[]): boolean => {
	const seqs = seqsOf(far);
	return near.every(({ machine, seq }) => (seqs.get(machine) ?? 0) >= seq);
};

/** The snapshots that a carrier holds, the furthest first; what only looks like one is left out. */
export async function snapshotsIn(log: Log, carrier: Carrier): Promise<Snapshot[]> {
	const names = (await carrier.list("snapshot/")).flatMap(
		(one) => /^snapshot\/([0-9a-f]{32})\/head$/.exec(one)?.[1] ?? [],
	);
	const found: Snapshot[] = [];
	for (const name of names) {
		const bytes = (await carrier.get(`snapshot/${name}/head`)) ?? new Uint8Array();
		const line = openLine(bytes);
		const said = line && parseObject(line.text, 20);
		if (!line || said?.v !== 1 || said.space !== log.space.id || said.name !== name || !fits(said, HEAD)) continue;
		const isSignedBy = (keys: PublicKeys): boolean => line.isSignedBy("snapshot", keys);
		const one = { ...(said as unknown as Snapshot), hash: sha256(bytes), isSignedBy };
		const maker = membersIn(log).get(one.machine);
		if (maker && !isSignedBy(maker.keys)) continue;
		found.push({ ...one, others: await confirmationsOf(log, carrier, one) });
	}
	const size = ({ heads }: Snapshot): number => heads.reduce((sum, { seq }) => sum + seq, 0);
	return found.sort((a, b) => size(b) - size(a));
}

export const whatIs = ({ space }: Log, { name, hash }: Pick<Snapshot, "name" | "hash">): string =>
	JSON.stringify({ v: 1, space: space.id, name, head: hash });

/** What other machines than its maker say of a snapshot. */
export async function confirmationsOf(log: Log, carrier: Carrier, one: Omit<Snapshot, "others">): Promise<Signed[]> {
	const found: Signed[] = [];
	for (const name of await carrier.list(`confirm/${one.name}/`)) {
		const machine = name.split("/")[2] ?? "";
		const bytes = MACHINE.test(machine) && machine !== one.machine ? await carrier.get(name) : null;
		const line = bytes && openLine(bytes);
		if (line?.text === whatIs(log, one))
			found.push({ machine, isSignedBy: (keys) => line.isSignedBy("confirm", keys) });
	}
	return found;
}

/** Puts what stands here into a carrier, its head last. */
export async function putSnapshot(log: Log, carrier: Carrier, name: string): Promise<void> {
	const texts = partsOf(log);
	const heads = headsOf(log);
	const sealing = sealingKey(log);
	const parts: Snapshot["parts"] = [];
	for (const [part, text] of texts) {
		const bytes = Buffer.from(sealing && projectOf(part) ? seal(text, sealing.key, aboutOf(log, name, part)) : text);
		await carrier.put(`snapshot/${name}/${part}`, bytes);
		parts.push({ name: part, hash: sha256(bytes) });
	}
	const head = {
		v: 1,
		space: log.space.id,
		machine: log.machine,
		name,
		at: log.now(),
		heads,
		parts,
		...(sealing && { epoch: sealing.epoch }),
	};
	await carrier.put(`snapshot/${name}/head`, signedLine("snapshot", JSON.stringify(head), log.keys));
}

/** The project of a part; `null`: the space. */
const projectOf = (part: string): string | null => (part.startsWith("space-") ? null : part.slice(0, 32));
const aboutOf = ({ space }: Log, name: string, part: string): string => `${space.id}:snapshot:${name}/${part}`;

/** What stands here, in parts: the same text wherever the same batches were applied. */
export function partsOf({ rows }: Log): Map<string, string> {
	const parts = new Map<string, string>();
	let [number, size, before] = [0, 0, ""];
	const add = (of: string, line: string): void => {
		size += line.length;
		if (of !== before) [number, size, before] = [0, line.length, of];
		else if (size > PART_BYTES) [number, size] = [number + 1, line.length];
		parts.set(`${of}-${number}`, `${parts.get(`${of}-${number}`) ?? ""}${line}\n`);
	};
	const said = "SELECT bytes FROM batches WHERE project IS NULL ORDER BY machine, seq";
	for (const [bytes] of rows.query(said).values() as [Uint8Array][]) add("space", Buffer.from(bytes).toString("utf8"));
	const standing = `SELECT id, item, field, clock, value, project FROM live
		WHERE project IS NOT NULL ORDER BY project, id, item, field`;
	for (const { project, value, ...row } of rows.query<Row, []>(standing).all())
		add(project, JSON.stringify({ ...row, value: value === null ? undefined : JSON.parse(value) }));
	return parts;
}

/** Reads the parts that this machine may see, as they lie there, by their names. Throws where one is not there, or is another. */
export async function partsIn(carrier: Carrier, { name, parts }: Snapshot, sees: readonly string[] | null) {
	const found = new Map<string, string>();
	for (const { name: part, hash } of parts) {
		const project = projectOf(part);
		if (project !== null && sees && !sees.includes(project)) continue;
		const bytes = await carrier.get(`snapshot/${name}/${part}`);
		if (!bytes || sha256(bytes) !== hash) throw new Error("a part of it is not there, or was changed");
		found.set(part, Buffer.from(bytes).toString("utf8"));
	}
	return found;
}

/** The text of each part; `null` where the key to it has not come. Throws where it was changed. */
export function textsIn(log: Log, { name, epoch = "" }: Snapshot, parts: ReadonlyMap<string, string>): Texts {
	const key = keysIn(log).get(epoch);
	const open = (part: string, text: string): string | null => {
		if (epoch === "" || !projectOf(part)) return text;
		const plain = key ? unseal(text, key, aboutOf(log, name, part)) : null;
		if (key && plain === null) throw new Error("a part of it was changed");
		return plain;
	};
	return new Map([...parts].map(([part, text]) => [part, open(part, text)]));
}

/** The batches about the space, as they are carried. */
export const spaceIn = (parts: ReadonlyMap<string, string>) =>
	[...parts]
		.filter(([part]) => projectOf(part) === null)
		.flatMap(([, text]) => linesOf(text))
		.map((line) => Buffer.from(line));

const linesOf = (text: string): string[] => text.split("\n").slice(0, -1);

/** A line of a project's part, made safe. Throws where it is none that ccg writes. */
function rowOf(line: string, project: string): Row {
	const said = parseObject(line, 2);
	const { id, item, field, clock, value } = said ?? {};
	const form = { id: OPERATION, item: ITEM, field: FIELD, clock: value === undefined ? /^$/ : CLOCK };
	if (!fits(said, form) || IS_OF_SPACE.test(`${item}`) || line.length > 3 * MAX_VALUE)
		throw new Error("it is not of the form that ccg writes");
	const json = value === undefined ? null : JSON.stringify(safeDeep(value));
	return { id, item, field, clock, value: json, project, machine: placeOf(`${id}`).machine } as Row;
}

/**
 * From here on a snapshot stands in the place of the batches up to its heads, beside other snapshots. Of a project that it holds and can't
 * be read yet, withheld or without its key, the batches stay: what goes from here without another in its place would be taken for deleted.
 */
export function standIn(log: Log, one: Snapshot, texts: Texts): void {
	const floors = floorsIn(log);
	const before = floors[""];
	const unread = new Set(
		one.parts.flatMap(({ name }) => (typeof texts.get(name) === "string" ? [] : (projectOf(name) ?? []))),
	);
	mergeRows(log, one, texts, unread);
	for (const project of new Set([...Object.keys(floors), ...unread]))
		floors[project] = unread.has(project)
			? (floors[project] ?? before)
			: furthest(floors[project] ?? before, one.heads);
	const here = Object.entries(floors).filter(([project, own]) => project === "" || !reaches(own, floors[""]));
	keepFact(log.rows, "floors", Object.fromEntries(here), true);
	const drop = log.rows.query(`DELETE FROM batches WHERE machine = ? AND seq <= ? AND project IS NOT NULL
		AND (length(bytes) = 0 OR project NOT IN (SELECT value FROM json_each(?)))`);
	for (const { machine, seq } of floors[""]) drop.run(exact(machine), seq, exact(JSON.stringify([...unread])));
}

/** Puts rows beside those of other snapshots. */
function mergeRows(log: Log, one: Snapshot, texts: Texts, unread: ReadonlySet<string>): void {
	const within = (floors: readonly Floor[]) => {
		const seqs = seqsOf(floors);
		return (id: string): boolean => placeOf(id).seq <= (seqs.get(placeOf(id).machine) ?? 0);
	};
	const isTheirs = within(one.heads);
	const isOurs = new Map(Object.entries(floorsIn(log)).map(([project, floors]) => [project, within(floors)]));
	const keyOf = ({ id, item, field }: Row): string => `${id} ${item} ${field}`;
	const read = [...texts].flatMap(([part, text]) => {
		const project = projectOf(part);
		return project && text ? linesOf(text).map((line) => rowOf(line, project)) : [];
	});
	if (read.some(({ id, value }) => value !== null && !isTheirs(id))) throw new Error("it holds what lies beyond it");
	const come = new Map(read.map((row) => [keyOf(row), row]));
	const drop = log.rows.query("DELETE FROM base WHERE id = ? AND item = ? AND field = ?");
	for (const own of log.rows.query<Row, []>("SELECT * FROM base").all()) {
		const their = come.get(keyOf(own));
		come.delete(keyOf(own));
		// a value here, and there that it was replaced before it came: it is gone
		const stays = their
			? (their.value === null) === (own.value === null)
			: unread.has(own.project) || !isTheirs(own.id);
		if (!stays) drop.run(exact(own.id), exact(own.item), exact(own.field));
	}
	const insert = log.rows.query("INSERT INTO base VALUES(?, ?, ?, ?, ?, ?, ?)");
	for (const row of come.values()) {
		// (what was here up to there, and is no more, was replaced)
		if ((isOurs.get(row.project) ?? isOurs.get("")!)(row.id)) continue;
		const { id, machine, item, field, value, clock, project } = row;
		const place = [exact(id), exact(machine), exact(item), exact(field)] as const;
		insert.run(...place, value === null ? null : exact(value), exact(clock), exact(project));
	}
}

function furthest(some: readonly Floor[], others: readonly Floor[]): Floor[] {
	const found = new Map(some.map((one) => [one.machine, one]));
	for (const { machine, seq, hash } of others)
		if ((found.get(machine)?.seq ?? 0) < seq) found.set(machine, { machine, seq, hash });
	return [...found.values()];
}
