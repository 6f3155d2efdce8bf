import { coded, errorCode } from "../../files/system-failure.ts";
import { type Carrier, MACHINE, MAX_DOCUMENT, MAX_MACHINES } from "./carrier.ts";
import { type Connection, openConnection, serverAt } from "./postgres-connection.ts";

/** Documents of one login. Without a bound one could fill the table, and the list that all read. */
const SLOTS = 8;

/** The documents in a database. Nothing is asked before the first method is. `home` holds the password file, ~/.pgpass. */
export function openPostgres(address: string, home: string): Carrier {
	return carryOver(openConnection(address, home));
}

export function carryOver(connection: Connection): Carrier {
	return {
		async list() {
			const found = await connection.rows(
				`SELECT machine, version FROM ccg.documents WHERE machine IS NOT NULL LIMIT ${MAX_MACHINES + 1}`,
				[],
			);
			if (found.length > MAX_MACHINES)
				throw coded("ETOOBIG", `the database holds more than ${MAX_MACHINES} documents; delete some of ccg.documents`);
			return found.flatMap(([machine, version]) =>
				typeof machine === "string" && MACHINE.test(machine) && typeof version === "string"
					? [{ machine, version }]
					: [],
			);
		},
		async get(machine) {
			const sql = `SELECT bytes FROM ccg.documents WHERE machine = $1 AND octet_length(bytes) <= ${MAX_DOCUMENT} LIMIT 1`;
			// two digits a byte
			const [row] = await connection.rows(sql, [machine], 2 * MAX_DOCUMENT + 1024);
			const bytes = row?.[0];
			return bytes instanceof Uint8Array && bytes.length <= MAX_DOCUMENT ? bytes : null;
		},
		async put(machine, bytes) {
			if (!MACHINE.test(machine)) throw coded("EPLACE", "this is no id of a machine");
			if (bytes && bytes.length > MAX_DOCUMENT)
				throw coded("ETOOBIG", `a document has at most ${MAX_DOCUMENT} bytes, this one ${bytes.length}`);
			const own = "WHERE machine = $1 AND login = session_user";
			if (!bytes)
				return void (await connection.rows(`UPDATE ccg.documents SET machine = NULL, bytes = NULL ${own}`, [machine]));
			const values = [machine, bytes];
			const update = `UPDATE ccg.documents SET bytes = $2, at = clock_timestamp() ${own} RETURNING 1`;
			if ((await connection.rows(update, values)).length > 0) return;
			const added = await connection.rows(ADD, values).catch((error) => {
				if (errorCode(error) !== "23505") throw error;
				throw coded(
					"EMACHINE",
					"another login keeps a document of this machine; have the owner of ccg.documents delete it",
				);
			});
			if (added.length === 0)
				throw coded(
					"EFULL",
					`this login keeps documents of ${SLOTS} machines; \`ccg sync leave\` on one of them makes room`,
				);
		},
		close: connection.close,
	};
}

/** Into the first place of this login that is free. */
const ADD = `INSERT INTO ccg.documents AS kept (slot, machine, bytes)
	SELECT slot, $1, $2 FROM generate_series(1, ${SLOTS}) AS slot
	WHERE NOT EXISTS (SELECT FROM ccg.documents AS one WHERE one.login = session_user AND one.slot = slot.slot AND one.machine IS NOT NULL)
	ORDER BY slot LIMIT 1
	ON CONFLICT (login, slot) DO UPDATE SET machine = excluded.machine, bytes = excluded.bytes, at = excluded.at
	WHERE kept.machine IS NULL RETURNING 1`;

/** The group that a database's members are in. Groups are those of the whole server, so each database has its own. */
export const groupOf = (address: string): string =>
	`ccg_${serverAt(address).database.toLowerCase().replace(/\W/g, "_")}`.slice(0, 63);

/** Makes what is missing, by a login that may create a schema in the database and, where the group is not there, a role. */
export const createDocuments = (connection: Connection, group: string): Promise<void> =>
	connection.script(createSql(group));

/** The same as text. Running it again changes nothing. */
export function createSql(group: string): string {
	if (!/^[\w-]{1,63}$/.test(group)) throw coded("EPLACE", "the name of a group has letters, digits, _ and - alone");
	return `-- Documents of ccg: each machine writes one, every login in the group "${group}" reads all.
BEGIN;
SET LOCAL search_path = pg_catalog, pg_temp;

DO $$
BEGIN
	-- a table of somebody else could run what he likes with the rights of whoever writes to it
	IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'ccg' AND pg_get_userbyid(nspowner) <> current_user)
		OR EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = 'ccg' AND pg_get_userbyid(c.relowner) <> current_user) THEN
		RAISE EXCEPTION 'a schema ccg is there, and it or a table in it belongs to another login than %', current_user;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${group}') THEN
		CREATE ROLE "${group}" NOLOGIN;
	END IF;
END $$;

CREATE SCHEMA IF NOT EXISTS ccg;
CREATE TABLE IF NOT EXISTS ccg.documents (
	login name NOT NULL DEFAULT session_user,
	slot smallint NOT NULL CHECK (slot BETWEEN 1 AND ${SLOTS}),
	-- without machine and bytes a place is free: deleting needs a right that also locks the table for all
	machine text UNIQUE CHECK (machine ~ '^[0-9a-f]{32}$'),
	version text GENERATED ALWAYS AS (encode(sha256(bytes), 'hex')) STORED,
	bytes bytea CHECK (octet_length(bytes) <= ${MAX_DOCUMENT}),
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	PRIMARY KEY (login, slot),
	CHECK ((machine IS NULL) = (bytes IS NULL))
);
-- documents are compressed
ALTER TABLE ccg.documents ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- login, version and at say who wrote, what and when: a login may not say it for itself
REVOKE ALL ON SCHEMA ccg FROM PUBLIC, "${group}";
REVOKE ALL ON ccg.documents FROM PUBLIC, "${group}";
GRANT USAGE ON SCHEMA ccg TO "${group}";
GRANT SELECT, INSERT (slot, machine, bytes), UPDATE (machine, bytes, at) ON ccg.documents TO "${group}";

ALTER TABLE ccg.documents ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS read_all ON ccg.documents;
DROP POLICY IF EXISTS add_own ON ccg.documents;
DROP POLICY IF EXISTS change_own ON ccg.documents;
CREATE POLICY read_all ON ccg.documents FOR SELECT TO "${group}" USING (true);
CREATE POLICY add_own ON ccg.documents FOR INSERT TO "${group}" WITH CHECK (login = session_user);
CREATE POLICY change_own ON ccg.documents FOR UPDATE TO "${group}" USING (login = session_user) WITH CHECK (login = session_user);
COMMIT;

-- Who may share: GRANT "${group}" TO a_login;
`;
}
