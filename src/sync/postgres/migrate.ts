import { coded, errorCode } from "../../files/system-failure.ts";
import space from "./schema/001-space.sql" with { type: "text" };
import type { Session } from "./session.ts";

/** What makes the schema, in order; the number of one is its place, from 1. A file that was released does not change. */
export const SCHEMA: readonly string[] = [space];

/**
 * Brings the schema up to what this ccg knows, all or nothing, by whoever owns the database. Fewer lines than taking a library into
 * service: those that are kept up read files from a folder (a bundle has none), bring a program of their own along and hold a lock of the
 * session, which a pooler in transaction mode gives to somebody else. Throws where the database holds another space or a newer schema.
 */
export async function migrate(session: Session, space: string): Promise<void> {
	if (!/^[0-9a-z-]{1,80}$/.test(space)) throw coded("EPLACE", "this is no id of a space");
	const steps = SCHEMA.map((sql, index) => `${sql}\nUPDATE ccg.about SET version = ${index + 1};\n`);
	const [server] = await session.rows<{ version: number }>(
		"SELECT current_setting('server_version_num')::int AS version",
	);
	if (server!.version < 150_000) throw coded("EOLD", "PostgreSQL 15 or newer is needed");
	const before = await about(session).catch((error) => {
		if (errorCode(error) !== "42P01") throw error;
		return null;
	});
	// one that was begun and never came to be gives way
	const begun =
		"UPDATE ccg.about SET space = $1 WHERE NOT EXISTS (SELECT FROM ccg.documents WHERE name = 'space') RETURNING 1";
	if (before && before.space !== space && (await session.rows(begun, [space])).length === 0)
		throw coded("ESPACE", "this database holds another space; make a database for this one");
	const have = before?.version ?? 0;
	if (have >= steps.length) return;
	// two that begin at once: the second waits, then fails at what is there, and nothing of it stays
	await session.script(
		`BEGIN;
		SELECT pg_advisory_xact_lock(hashtext('ccg schema'));
		SELECT set_config('ccg.space', '${space}', true);
		SET LOCAL search_path = pg_catalog;
		${steps.slice(have).join("")}
		COMMIT`,
	);
}

interface About {
	space: string;
	version: number;
	readers: number;
	writers: number;
}

export async function about(session: Session): Promise<About> {
	const [row] = await session.rows<About>("SELECT space, version, readers, writers FROM ccg.about");
	if (!row) throw coded("ESPACE", "this database holds no space");
	return row;
}

/** Why this ccg may not write to the space; `null`: it may. Throws where it is no space of this id, or one that it can't read. */
export async function whyReadOnly(session: Session, space: string): Promise<string | null> {
	const row = await about(session);
	if (row.space !== space) throw coded("ESPACE", "this database holds another space");
	const knows = SCHEMA.length;
	const newer = (what: string): string =>
		`a newer ccg brought this space to schema ${row.version}; this one knows ${knows} and can't ${what} it: update ccg`;
	if (row.version > knows && row.readers > knows) throw coded("ENEWER", newer("read"));
	return row.version > knows && row.writers > knows ? newer("write to") : null;
}
