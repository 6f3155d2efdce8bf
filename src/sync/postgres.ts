import { codedError } from "../files/system-failure.ts";
import { type Carrier, MAX_DOCUMENT, MAX_MACHINES } from "./carrier.ts";
import { openConnection, parseServer } from "./postgres-connection.ts";

/** Documents of one login. Without a bound one could fill the table, and the list that all read. */
const SLOTS = 8;

/** Carries documents in a table of a database; it connects with the first method. */
export function openPostgres(...where: Parameters<typeof openConnection>): Carrier {
	const { name, ask, close } = openConnection(...where);
	return {
		async list() {
			const { rows } = await ask(LIST);
			return rows.map(([machine, version]) => ({ machine: String(machine), version: String(version) }));
		},
		async get(machine) {
			const bytes = (await ask(GET, [machine], 2 * MAX_DOCUMENT + 1024)).rows[0]?.[0]; // two digits a byte
			return bytes instanceof Uint8Array ? bytes : null;
		},
		async put(machine, bytes) {
			if (!bytes) return void (await ask(FREE, [machine]));
			for (const sql of [CHANGE, ADD]) if ((await ask(sql, [machine, bytes])).rowCount) return;
			throw codedError("EFULL", `${name}: this login has ${SLOTS} machines; ccg sync leave on one makes room`);
		},
		[Symbol.asyncDispose]: close,
	};
}

const LIST = `SELECT machine, version FROM ccg.documents WHERE machine IS NOT NULL LIMIT ${MAX_MACHINES + 1}`;
const GET = "SELECT bytes FROM ccg.documents WHERE machine = $1";
const OWN = "WHERE machine = $1 AND login = session_user";
const FREE = `UPDATE ccg.documents SET machine = NULL, bytes = NULL ${OWN}`;
const CHANGE = `UPDATE ccg.documents SET bytes = $2, version = DEFAULT, at = DEFAULT ${OWN}`;
/** Takes a free slot of this login. */
const ADD = `INSERT INTO ccg.documents AS kept (slot, machine, bytes)
	SELECT place, $1, $2 FROM generate_series(1, ${SLOTS}) AS place
		LEFT JOIN ccg.documents ON login = session_user AND slot = place WHERE machine IS NULL LIMIT 1
	ON CONFLICT (login, slot) DO UPDATE SET machine = $1, bytes = $2, version = DEFAULT, at = DEFAULT
		WHERE kept.machine IS NULL`;

/** Gives the SQL that makes the table, for a login that may create a schema in the database and, where the group is not there, a role. */
export function documentsTableSql(address: string): string {
	// groups are those of the whole server, so each database has its own
	const group = `ccg_${parseServer(address).database.toLowerCase().replace(/\W/g, "_")}`.slice(0, 63);
	return `-- Documents of ccg: each machine writes one, and every login in the group ${group} reads all.
BEGIN;
DO $$ BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${group}') THEN CREATE ROLE ${group} NOLOGIN; END IF;
END $$;
-- fails where it is there: its owner could have the table run what he likes, with the rights of those who write to it
CREATE SCHEMA ccg;
CREATE TABLE ccg.documents (
	login name NOT NULL DEFAULT session_user,
	slot smallint NOT NULL CHECK (slot BETWEEN 1 AND ${SLOTS}),
	-- NULL: the place is free. Nobody may delete, since the right to do so is one to lock the table for all.
	machine text UNIQUE CHECK (machine ~ '^[0-9a-f]{32}$'),
	version uuid NOT NULL DEFAULT gen_random_uuid(),
	bytes bytea CHECK (octet_length(bytes) <= ${MAX_DOCUMENT}),
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	PRIMARY KEY (login, slot)
);
GRANT USAGE ON SCHEMA ccg TO ${group};
GRANT SELECT, INSERT (slot, machine, bytes), UPDATE (machine, version, bytes, at) ON ccg.documents TO ${group};
ALTER TABLE ccg.documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY read_all ON ccg.documents FOR SELECT TO ${group} USING (true);
CREATE POLICY write_own ON ccg.documents TO ${group} USING (login = session_user);
COMMIT;
-- Who may share: GRANT ${group} TO a_login;
`;
}
