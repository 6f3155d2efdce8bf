import type { Safe } from "../../core/redact/secrets.ts";
import { coded, errorCode } from "../../files/system-failure.ts";
import type { Meaning } from "../../search/meaning.ts";
import type { Env } from "../../store/paths.ts";
import { type Carried, type Carrier, READ_BYTES } from "../carrier.ts";
import type { Target } from "./connection.ts";
import { type Invitation, invite, type Role } from "./members.ts";
import { checkVersion } from "./migrate.ts";
import { openSession, type Session } from "./session.ts";

export interface Member {
	machine: string;
	name: string;
	person: string;
	role: Role;
	projects: string[] | null;
	joined: Date;
	removed: Date | null;
}

/** What a server can do besides carrying. */
export interface PostgresCarrier extends Carrier {
	space: string;
	/** Why this ccg may not write here; `null`: it may. */
	readOnly: string | null;
	/** All, or one; who was removed is among them. */
	members(machine?: string): Promise<Member[]>;
	/** The code of an invitation; owners only. */
	invite(invitation: Invitation): Promise<string>;
	/** Ends a machine's rights at once, also in connections that are open; owners only. */
	expel(machine: string): Promise<void>;
	changeMember(machine: string, role: Role, projects: readonly string[] | null): Promise<void>;
	/** Takes this machine out, with what it wrote. */
	leave(): Promise<void>;
	/** Takes or renews the lease of a task by the server's clock; gives who holds it, `null` where that is not for this machine to see. */
	lease(
		task: string,
		project: string,
		seconds: number,
	): Promise<{ machine: string; until: Date; mine: boolean } | null>;
	/** What a team may search of this machine's items, where the space is not encrypted. An older one changes nothing. */
	tell(machine: string, texts: readonly TeamText[]): Promise<void>;
	/** What was told of a machine and not taken back. */
	told(machine: string): Promise<Pick<TeamText, "item" | "clock">[]>;
	/** What was told of a machine and has no vector of this model, the newest first; none where the server has no use for vectors. */
	unembedded(machine: string, model: string, most: number): Promise<Pick<TeamText, "item" | "clock">[]>;
	/** Puts vectors beside texts as they were told; `null`: the model does not take that text. */
	embed(machine: string, model: string, embedded: readonly Embedded[]): Promise<void>;
	/** The texts that hold any of the words or, where that is given and the server can, are near in meaning, best first; `projects` narrows. */
	search(query: string, projects: readonly string[] | null, most: number, meaning?: Meaning | null): Promise<TeamHit[]>;
}

export interface TeamText {
	item: string;
	project: string | null;
	/** `null`: the item was deleted. */
	text: Safe | null;
	/** Sorts as text. */
	clock: string;
}

export interface Embedded extends Pick<TeamText, "item" | "clock"> {
	vector: Float32Array | null;
}

/** Somebody's words, to be made safe again. */
export interface TeamHit extends Pick<TeamText, "item" | "project"> {
	text: string;
	machine: string;
	name: string | null;
	person: string | null;
	at: Date;
}

/** Of one statement. */
const [MAX_ROWS, MAX_BYTES] = [1000, 8 * 1024 * 1024];

/** Opens a space (`null`: whichever there is) by this machine's login. Throws where it is another one, or this ccg can't read it. */
export async function openPostgres(target: Target, env: Env, space: string | null): Promise<PostgresCarrier> {
	const session = openSession(target, env);
	try {
		return carrierOn(session, await checkVersion(session, space));
	} catch (error) {
		await session.close();
		throw error;
	}
}

function carrierOn(session: Session, { space, readOnly }: { space: string; readOnly: string | null }): PostgresCarrier {
	const call = async (name: string, ...values: unknown[]): Promise<void> => {
		if (readOnly) throw coded("ENEWER", readOnly);
		await session.rows(`SELECT ccg.${name}(${values.map((_, index) => `$${index + 1}`)})`, values);
	};
	return {
		space,
		readOnly,
		async heads() {
			const rows = await session.rows<{ machine: string; first: string; last: string }>(
				"SELECT machine, first, last FROM ccg.heads ORDER BY machine",
			);
			return new Map(rows.map(({ machine, first, last }) => [machine, { from: Number(first), to: Number(last) }]));
		},
		read: (machine, seq, bytes = READ_BYTES) => read(session, machine, seq, bytes),
		async append(machine, batches) {
			for (const some of inStatements(batches)) {
				const [projects, sizes] = [some.map(({ project }) => project), some.map(({ bytes }) => bytes.length)];
				await call("append", machine, some[0]!.seq, projects, sizes, Buffer.concat(some.map(({ bytes }) => bytes)));
			}
		},
		forget: (machine, seq) => call("forget", machine, seq),
		async get(name) {
			const [row] = await session.rows<{ bytes: Buffer }>("SELECT bytes FROM ccg.documents WHERE name = $1", [name]);
			return row?.bytes ?? null;
		},
		put: (name, bytes) => call("put", name, Buffer.from(bytes)),
		async list(prefix) {
			const found = 'SELECT name FROM ccg.documents WHERE starts_with(name, $1) ORDER BY name COLLATE "C"';
			return (await session.rows<{ name: string }>(found, [prefix])).map(({ name }) => name);
		},
		remove: (name) => call("remove", name),
		async pull() {},
		async push() {},
		close: session.close,
		async sees() {
			const [row] = await session.rows<Member>("SELECT projects FROM ccg.me()");
			return row?.projects?.toSorted() ?? null;
		},
		members: (machine) =>
			session.rows<Member>(
				`SELECT machine, name, person, role, projects, joined, removed FROM ccg.members
				WHERE joined IS NOT NULL AND machine = coalesce($1, machine) ORDER BY joined, machine`,
				[machine ?? null],
			),
		invite: (invitation) => invite(session, invitation),
		expel: (machine) => call("expel", machine),
		changeMember: (machine, role, projects) => call("change_member", machine, role, projects),
		leave: () => call("leave"),
		async lease(task, project, seconds) {
			if (readOnly) throw coded("ENEWER", readOnly);
			const taken = "SELECT machine, until, mine FROM ccg.lease($1, $2, $3)";
			const [row] = await session.rows<{ machine: string; until: Date; mine: boolean }>(taken, [
				task,
				project,
				seconds,
			]);
			return row ?? null;
		},
		async tell(machine, texts) {
			const column = (name: keyof TeamText) => texts.map((one) => one[name]);
			await call("tell", machine, column("item"), column("project"), column("text"), column("clock"));
		},
		told: (machine) =>
			session.rows<TeamText>("SELECT item, clock FROM ccg.texts WHERE machine = $1 AND project IS NOT NULL", [machine]),
		unembedded: (machine, model, most) =>
			session.rows<TeamText>("SELECT item, clock FROM ccg.unembedded($1, $2, $3)", [machine, model, most]),
		async embed(machine, model, embedded) {
			const [items, clocks] = [embedded.map(({ item }) => item), embedded.map(({ clock }) => clock)];
			await call(
				"embed",
				machine,
				model,
				items,
				clocks,
				embedded.map(({ vector }) => vector && arrayOf(vector)),
			);
		},
		async search(query, projects, most, meaning) {
			const byWords = [query, projects, most];
			if (meaning && "vector" in meaning)
				try {
					const both = [...byWords, meaning.model, arrayOf(meaning.vector)];
					return await session.rows<TeamHit>("SELECT * FROM ccg.search_near($1, $2, $3, $4, $5)", both);
				} catch (error) {
					// an older schema, an extension that does not work: words are found all the same
					if (errorCode(error) === "EOFFLINE") throw error;
				}
			return session.rows<TeamHit>("SELECT * FROM ccg.search($1, $2, $3)", byWords);
		},
	};
}

/** As PostgreSQL reads it; a float has seven digits. */
const arrayOf = (vector: Float32Array): string => `{${Array.from(vector, (one) => one.toPrecision(7))}}`;

function* inStatements(batches: readonly Carried[]): Generator<Carried[]> {
	let some: Carried[] = [];
	let size = 0;
	for (const batch of batches) {
		if (some.length > 0 && (some.length >= MAX_ROWS || size + batch.bytes.length > MAX_BYTES)) {
			yield some;
			[some, size] = [[], 0];
		}
		some.push(batch);
		size += batch.bytes.length;
	}
	if (some.length > 0) yield some;
}

/** As `Carrier.read`. One of a project that is not shared with this machine comes without its bytes, with their hash. */
async function read(session: Session, machine: string, seq: number, bytes: number): Promise<Carried[]> {
	const rows = await session.rows<Carried & { seq: string | number; hash: string | null }>(
		"SELECT seq, project, bytes, hash FROM ccg.read($1, $2, $3)",
		[machine, seq, bytes],
	);
	return rows.map(({ hash, ...row }) => ({ ...row, seq: Number(row.seq), ...(hash && { hash }) }));
}
