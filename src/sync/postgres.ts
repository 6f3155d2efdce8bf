import { coded, errorCode } from "../files/system-failure.ts";
import { type Carrier, MACHINE, MAX_DOCUMENT, MAX_MACHINES } from "./carrier.ts";
import { type Connection, openConnection, serverAt } from "./postgres-connection.ts";

export { openConnection, serverAt } from "./postgres-connection.ts";

/** Documents of one login. Without a bound one could fill the table, and the list that all read. */
const SLOTS = 8;

/** The documents in a database. Nothing is asked before the first method is. */
export function openPostgres({ name, ask, close }: Connection): Carrier {
	const refusal = (code: string, why: string): Error => coded(code, `${name}: ${why}`);
	return {
		async list() {
			const sql = `SELECT machine, version FROM ccg.documents WHERE machine IS NOT NULL LIMIT ${MAX_MACHINES + 1}`;
			const found = (await ask(sql, [])).rows;
			if (found.length > MAX_MACHINES) throw refusal("ETOOBIG", `over ${MAX_MACHINES} documents; delete some there`);
			const all = found.map(([machine, version]) => ({ machine: String(machine), version: String(version) }));
			return all.filter(({ machine }) => MACHINE.test(machine));
		},
		async get(machine) {
			const sql = `SELECT bytes FROM ccg.documents WHERE machine = $1 AND octet_length(bytes) <= ${MAX_DOCUMENT} LIMIT 1`;
			const bytes = (await ask(sql, [machine], 2 * MAX_DOCUMENT + 1024)).rows[0]?.[0]; // two digits a byte
			return bytes instanceof Uint8Array && bytes.length <= MAX_DOCUMENT ? bytes : null;
		},
		async put(machine, bytes) {
			if (bytes && bytes.length > MAX_DOCUMENT)
				throw refusal("ETOOBIG", `a document has at most ${MAX_DOCUMENT} bytes`);
			const own = "WHERE machine = $1 AND login = session_user";
			if (!bytes) return void (await ask(`UPDATE ccg.documents SET machine = NULL, bytes = NULL ${own}`, [machine]));
			const update = `UPDATE ccg.documents SET bytes = $2, version = DEFAULT, at = DEFAULT ${own}`;
			if ((await ask(update, [machine, bytes])).rowCount) return;
			const added = await ask(ADD, [machine, bytes]).catch((error) => {
				if (errorCode(error) !== "23505") throw error;
				throw refusal("EMACHINE", "another login keeps a document of this machine; have its owner delete it");
			});
			if (!added.rowCount)
				throw refusal("EFULL", `this login keeps documents of ${SLOTS} machines; ccg sync leave on one makes room`);
		},
		close,
	};
}

/** The documents at an address; with `create` their table is made where there is none. `home` holds the password file. */
export async function postgresCarrier(address: string, home: string, create: boolean): Promise<Carrier> {
	const connection = openConnection(address, home);
	const carrier = openPostgres(connection);
	if (!create) return carrier;
	try {
		await carrier.list();
	} catch (error) {
		if (errorCode(error) !== "42P01") throw error;
		await createDocuments(connection, groupOf(address));
	}
	return carrier;
}

/** Into the first place of this login that is free. */
const ADD = `INSERT INTO ccg.documents AS kept (slot, machine, bytes)
	SELECT slot, $1, $2 FROM generate_series(1, ${SLOTS}) AS slot WHERE slot NOT IN
		(SELECT slot FROM ccg.documents WHERE login = session_user AND machine IS NOT NULL) ORDER BY slot LIMIT 1
	ON CONFLICT (login, slot) DO UPDATE SET machine = excluded.machine, bytes = excluded.bytes, version = DEFAULT, at = DEFAULT
	WHERE kept.machine IS NULL`;

/** The group whose logins share in a database. Groups are those of the whole server, so each database has its own. */
export const groupOf = (address: string): string =>
	`ccg_${serverAt(address).database.toLowerCase().replace(/\W/g, "_")}`.slice(0, 63);

/** Makes what is missing, by a login that may create a schema in the database and, where the group is not there, a role. */
export const createDocuments = ({ ask }: Connection, group: string): Promise<unknown> => ask(createSql(group));

/** The same as text. Running it again changes nothing. */
export function createSql(group: string): string {
	if (!/^[\w-]{1,63}$/.test(group)) throw coded("EPLACE", "the name of a group has letters, digits, _ and - alone");
	return `-- Documents of ccg: each machine writes one, and every login in the group ${group} reads all.
BEGIN;
SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL lock_timeout = '10s';
DO $$
BEGIN
	-- whoever owns a table could have it run what he likes, with the rights of those who write to it
	IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'ccg' AND pg_get_userbyid(nspowner) <> current_user) THEN
		RAISE EXCEPTION 'the schema ccg belongs to another login than %', current_user;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${group}') THEN CREATE ROLE "${group}" NOLOGIN; END IF;
END $$;
CREATE SCHEMA IF NOT EXISTS ccg;
CREATE TABLE IF NOT EXISTS ccg.documents (
	login name NOT NULL DEFAULT session_user,
	slot smallint NOT NULL CHECK (slot BETWEEN 1 AND ${SLOTS}),
	-- NULL: the place is free. Nobody may delete, since the right to do so is one to lock the table for all.
	machine text UNIQUE CHECK (machine ~ '^[0-9a-f]{32}$'),
	version uuid NOT NULL DEFAULT gen_random_uuid(),
	bytes bytea CHECK (octet_length(bytes) <= ${MAX_DOCUMENT}),
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	PRIMARY KEY (login, slot),
	CHECK ((machine IS NULL) = (bytes IS NULL))
);
REVOKE ALL ON ccg.documents FROM PUBLIC, "${group}";
GRANT USAGE ON SCHEMA ccg TO "${group}";
-- who wrote it is what the server says
GRANT SELECT, INSERT (slot, machine, bytes), UPDATE (machine, version, bytes, at) ON ccg.documents TO "${group}";
ALTER TABLE ccg.documents ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS read_all ON ccg.documents;
DROP POLICY IF EXISTS write_own ON ccg.documents;
CREATE POLICY read_all ON ccg.documents FOR SELECT TO "${group}" USING (true);
CREATE POLICY write_own ON ccg.documents TO "${group}" USING (login = session_user);
COMMIT;
-- Who may share: GRANT "${group}" TO a_login;
`;
}
