import { exact, redactSecrets } from "../core/redact/secrets.ts";
import type { Rows } from "../store/database.ts";
import { placeOf } from "./batch.ts";
import type { Clock } from "./clock.ts";
import { type Keys, machineOf, type PublicKeys, publicOf } from "./keys.ts";
import { type Grant, grantedIn, type Members, membersOf, type Role } from "./members.ts";
import { factOf } from "./tables.ts";

/** What a space is known by: its id is a hash of the root's keys and a nonce, so who knows the id knows whose space it is. */
export interface Space {
	id: string;
	root: PublicKeys;
	nonce: string;
}

/** The log of a space as one machine has it: batches, and the state that follows from them. */
export interface Log {
	rows: Rows;
	space: Space;
	machine: string;
	keys: Keys;
	/** Milliseconds since 1970. */
	now(): number;
	/** What was worked out of what stands there of members and keys; `state`: the ids of that, and the floors. */
	known: { state: string; members?: Members; content?: Map<string, Uint8Array> };
}

/** A value that stands. */
export interface Value {
	id: string;
	machine: string;
	item: string;
	field: string;
	value: unknown;
	clock: Clock;
	project: string | null;
}

/** A batch of a machine, and its hash. */
export interface Floor {
	machine: string;
	seq: number;
	hash: string;
}

/** The last batch of a machine. */
export interface Head extends Floor {
	/** The last that anybody says to have seen. */
	seen: number;
}

export const logOf = (rows: Rows, space: Space, keys: Keys, now: () => number = Date.now): Log => ({
	...{ rows, space, keys, now, known: { state: "" } },
	machine: machineOf(publicOf(keys)),
});

/**
 * Up to where of each machine snapshots stand in the place of its batches, under `""`; and under a project of which they hold what could
 * not be read yet, up to where that one is here.
 */
export const floorsIn = ({ rows }: Pick<Log, "rows">): { "": Floor[]; [project: string]: Floor[] } => ({
	"": [],
	...factOf<Record<string, Floor[]>>(rows, "floors"),
});
export const floorsOf = (log: Pick<Log, "rows">): Floor[] => floorsIn(log)[""];

export const headOf = ({ rows }: Pick<Log, "rows">, machine: string): Head =>
	rows.query<Head, [string]>("SELECT * FROM heads WHERE machine = ?").get(machine) ?? {
		machine,
		seq: 0,
		hash: "",
		seen: 0,
	};

/** Of each machine the last batch that was applied. */
export const headsOf = ({ rows }: Pick<Log, "rows">): Floor[] =>
	rows.query<Floor, []>("SELECT machine, seq, hash FROM heads WHERE seq > 0 ORDER BY machine").all();

/** The last batch of a machine that it signed, or that a snapshot stands for: what a server says of those that it withholds proves nothing. */
export function provedOf(log: Pick<Log, "rows">, machine: string): number {
	const sql = "SELECT max(seq) FROM batches WHERE machine = ? AND length(bytes) > 0";
	return Math.max(Number(log.rows.query(sql).values(machine)[0]![0]), seqsOf(floorsOf(log)).get(machine) ?? 0);
}

/** The numbers alone, by machine. */
export const seqsOf = (places: readonly Pick<Floor, "machine" | "seq">[]): Map<string, number> =>
	new Map(places.map(({ machine, seq }) => [machine, seq]));
export const vectorOf = (log: Pick<Log, "rows">): Map<string, number> => seqsOf(headsOf(log));

/** The values that stand of the items that begin so. */
export function valuesOf({ rows }: Pick<Log, "rows">, begin: string, project?: string | null): Value[] {
	const which = project === undefined ? "1" : "project IS ?3";
	const sql = `SELECT * FROM live
		WHERE item >= ?1 AND item < ?2 AND value IS NOT NULL AND ${which} ORDER BY item, field, clock, id`;
	const given: (string | null)[] = [begin, `${begin}\u{10ffff}`, ...(project === undefined ? [] : [project])];
	const found = rows.query<Omit<Value, "value"> & { value: string }, (string | null)[]>(sql).all(...given);
	return found.map((row) => ({ ...row, value: JSON.parse(row.value) }));
}

/** The values that stand of one item. */
export const valuesAt = (log: Log, item: string, field: string, project?: string): Value[] =>
	valuesOf(log, item, project).filter((one) => one.item === item && one.field === field);

/** What of this machine was offered, as it stands here. */
export interface Own {
	item: string;
	/** Of a note the key of its project, and where in the file it stands. */
	place: string;
	at: number;
	/** Of a note; of other items the hash of their value. */
	text: string;
	/** The value that it stands here as. */
	base: string;
}

/** The place of notes whose file is lost: they are told as what others wrote, until it is back. */
export const lostFrom = (place: string): string => `lost ${place}`;

/** By item, notes in the order of their file: those that stand in it, or with `lost` those that did. */
export const ownIn = ({ rows }: Log, lost = false): Map<string, Own> =>
	new Map(
		rows
			.query<Own, [number]>("SELECT * FROM own WHERE (place LIKE 'lost %') = ? ORDER BY at")
			.all(Number(lost))
			.map((one) => [one.item, one]),
	);

export function keepOwn({ rows }: Log, all: readonly Own[]): void {
	const insert = rows.query("INSERT OR REPLACE INTO own VALUES(?, ?, ?, ?, ?)");
	for (const { item, place, at, text, base } of all)
		insert.run(exact(item), exact(place), at, redactSecrets(text), exact(base));
}

export const NOT_SHARED = "the server does not share this project with this machine; an owner may change that";
/** Whether a carrier that gives rights by project shares this one with this machine, by what it said last. */
export function isSharedWith({ rows }: Pick<Log, "rows">, project: string | null): boolean {
	const sees = factOf<string[] | null>(rows, "sees");
	return project === null || !sees || sees.includes(project);
}

/** What was worked out, as long as nothing came that it rests on. */
export function known(log: Log): Log["known"] {
	const sql = `SELECT json_array(json_group_array(id), (SELECT value FROM facts WHERE name = 'floors')) FROM live
		WHERE item >= 'epoch:' AND item < 'epoch;' OR item >= 'member:' AND item < 'member;'`;
	const state = String(log.rows.query(sql).values()[0]?.[0]);
	if (log.known.state !== state) log.known = { state };
	return log.known;
}

/** Who is a member, by all that was said so far. */
export function membersIn(log: Log): Members {
	const now = known(log);
	if (now.members) return now.members;
	const grants = valuesOf(log, "member:").flatMap(({ id, machine, item, value, clock }): Grant[] => {
		const about = item.slice("member:".length);
		const said = grantedIn(about, value);
		return said ? [{ id, by: machine, bySeq: placeOf(id).seq, clock, machine: about, said }] : [];
	});
	now.members = membersOf(log.space.root, grants, seqsOf(floorsOf(log)));
	return now.members;
}

/** What a machine may now, or this one; `none` also where nobody took it in. */
export const roleOf = (log: Log, machine = log.machine): Role => membersIn(log).get(machine)?.role ?? "none";

/** Of whom somebody has seen more than is here. What one wrote behind its removal never comes. */
export function missingIn(log: Log): Head[] {
	const behind = log.rows.query<Head, []>("SELECT * FROM heads WHERE seen > seq").all();
	return behind.filter(
		({ machine, seq }) =>
			membersIn(log)
				.get(machine)
				?.roleAt(seq + 1) !== "none",
	);
}
