/** The two libraries, for `session.ts` alone: it is loaded when a server is spoken to. */
import { Client, types } from "pg";
// @ts-expect-error it has no types
import pgpass from "pgpass";

// (all of ours are exact as numbers)
types.setTypeParser(types.builtins.INT8, Number);

export { Client };

/** The password for a server in the user's password file (PGPASSFILE, ~/.pgpass), if it is the user's alone. */
export const passwordFromFile = (server: object): Promise<string | undefined> =>
	new Promise((resolve) => pgpass(server, resolve));
