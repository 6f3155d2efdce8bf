import type { Safe } from "../../core/redact/secrets.ts";
import { coded } from "../../files/system-failure.ts";
import type { Meaning } from "../../search/meaning.ts";
import { type Carried, type Carrier, READ_BYTES } from "../carrier.ts";
import type { Target } from "./connection.ts";
import { type Invitation, invite, type Role } from "./members.ts";
import { whyReadOnly } from "./migrate.ts";
import { openSession, type Session } from "./session.ts";

interface Member {
	machine: string;
	role: Role;
	projects: string[] | null;
}

/** A carrier, and what a server can do besides carrying. */
export type PostgresCarrier = ReturnType<typeof carrierOn>;

export interface TeamText {
	item: string;
	project: string | null;
	/** `null`: the item was deleted. */
	text: Safe | null;
	/** Sorts as text. */
	clock: string;
}

type Told = Pick<TeamText, "item" | "clock">;

export interface Embedded extends Told {
	/** `null`: the model does not take that text. */
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

/** Opens a space by this machine's login. Throws where it is another one, or this ccg can't read it. */
export async function openPostgres(target: Target, space: string): Promise<PostgresCarrier> {
	const session = openSession(target);
	try {
		return carrierOn(session, await whyReadOnly(session, space));
	} catch (error) {
		await session.close();
		throw error;
	}
}

function carrierOn(session: Session, readOnly: string | null) {
	const ask = <R extends object>(name: string, ...values: unknown[]): Promise<R[]> =>
		session.rows(`SELECT * FROM ccg.${name}(${values.map((_, index) => `$${index + 1}`)})`, values);
	const change = <R extends object>(name: string, ...values: unknown[]): Promise<R[]> => {
		if (readOnly) throw coded("ENEWER", readOnly);
		return ask(name, ...values);
	};
	return {
		async heads() {
			const rows = await session.rows<{ machine: string; from: number; to: number }>(
				'SELECT machine, first AS "from", last AS "to" FROM ccg.members WHERE last IS NOT NULL ORDER BY machine',
			);
			return new Map(rows.map(({ machine, ...range }) => [machine, range]));
		},
		async read(machine, seq, bytes = READ_BYTES) {
			const rows = await ask<Carried & { hash: string | null }>("read", machine, seq, bytes);
			return rows.map(({ hash, ...row }) => ({ ...row, ...(hash && { hash }) }));
		},
		async append(machine, batches) {
			if (batches.length === 0) return;
			const [projects, sizes] = [batches.map(({ project }) => project), batches.map(({ bytes }) => bytes.length)];
			await change(
				"append",
				machine,
				batches[0]!.seq,
				projects,
				sizes,
				Buffer.concat(batches.map(({ bytes }) => bytes)),
			);
		},
		async forget(machine, seq) {
			await change("forget", machine, seq);
		},
		async get(name) {
			const [row] = await session.rows<{ bytes: Buffer }>("SELECT bytes FROM ccg.documents WHERE name = $1", [name]);
			return row?.bytes ?? null;
		},
		async put(name, bytes) {
			await change("put", name, Buffer.from(bytes));
		},
		async list(prefix) {
			const found = 'SELECT name FROM ccg.documents WHERE starts_with(name, $1) ORDER BY name COLLATE "C"';
			return (await session.rows<{ name: string }>(found, [prefix])).map(({ name }) => name);
		},
		async remove(name) {
			await change("remove", name);
		},
		async push() {},
		close: session.close,
		async sees() {
			const [row] = await ask<Member>("me");
			return row?.projects?.toSorted() ?? null;
		},
		/** Who may come in. */
		members: () =>
			session.rows<Member>(
				"SELECT machine, role, projects FROM ccg.members WHERE joined IS NOT NULL AND removed IS NULL",
			),
		/** The code of an invitation; owners only. */
		invite: (invitation: Invitation) => invite(session, invitation),
		/** Ends a machine's rights at once, also in connections that are open: another's by an owner, its own with what it wrote. */
		async expel(machine: string) {
			await change("expel", machine);
		},
		async changeMember(machine: string, role: Role, projects: readonly string[] | null) {
			await change("change_member", machine, role, projects);
		},
		/** Takes or renews the lease of a task by the server's clock; gives who holds it, `null` where that is not for this machine to see. */
		async lease(task: string, project: string, seconds: number) {
			const [row] = await change<{ machine: string; until: Date; mine: boolean }>("lease", task, project, seconds);
			return row ?? null;
		},
		/** What a team may search of this machine's items, where the space is not encrypted. An older one changes nothing. */
		async tell(texts: readonly TeamText[]) {
			const column = (name: keyof TeamText) => texts.map((one) => one[name]);
			await change("tell", column("item"), column("project"), column("text"), column("clock"));
		},
		/** What was told of a machine and not taken back. */
		told: (machine: string) =>
			session.rows<Told>("SELECT item, clock FROM ccg.texts WHERE machine = $1 AND project IS NOT NULL", [machine]),
		/** What was told of a machine and has no vector of this model, the newest first; none where the server has no use for vectors. */
		unembedded: (machine: string, model: string, most: number) =>
			session.rows<Told>(
				`SELECT item, clock FROM ccg.texts
				WHERE machine = $1 AND project IS NOT NULL AND text IS NOT NULL AND model IS DISTINCT FROM $2
				AND EXISTS (SELECT FROM pg_extension WHERE extname = 'vector') ORDER BY clock DESC LIMIT $3`,
				[machine, model, most],
			),
		/** Puts vectors beside texts as they were told. */
		async embed(model: string, embedded: readonly Embedded[]) {
			const [items, clocks] = [embedded.map(({ item }) => item), embedded.map(({ clock }) => clock)];
			const vectors = embedded.map(({ vector }) => vector && arrayOf(vector));
			await change("embed", model, items, clocks, vectors);
		},
		/** The texts that hold any of the words or, where that is given and the server can, are near in meaning, best first; `projects` narrows. */
		search(query: string, projects: readonly string[] | null, most: number, meaning?: Meaning | null) {
			const near = meaning && "vector" in meaning ? [meaning.model, arrayOf(meaning.vector)] : [null, null];
			return ask<TeamHit>("search", query, projects, most, ...near);
		},
	} satisfies Carrier & Record<string, unknown>;
}

/** As PostgreSQL reads it; a float has seven digits. */
const arrayOf = (vector: Float32Array): string => `{${Array.from(vector, (one) => one.toPrecision(7))}}`;
