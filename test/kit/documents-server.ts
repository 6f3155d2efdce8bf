import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import type { Carrier } from "../../src/sync/carrier.ts";
import { documentsTableSql, openPostgres } from "../../src/sync/postgres.ts";
import { postgresServer } from "./postgres.ts";

export const GROUP = "ccg_team";

export type DocumentsServer = Awaited<ReturnType<typeof documentsServer>>;

/** A server whose database `team` holds the table, made by `boss`, with logins of the group. Their password is `pw-LOGIN`. */
export async function documentsServer(
	logins: readonly string[],
	settings: Record<string, string> = {},
	before?: (folder: string) => void,
) {
	const server = await postgresServer({ fsync: "off", ...settings }, before);
	const { port } = server;
	const home = homeWith(
		logins.map((login) => `*:*:*:${login}:pw-${login}`),
		server.folder,
	);
	const addressOf = (login: string): string => `postgres://${login}@127.0.0.1:${port}/team?sslmode=disable`;
	await server.sql(`SET ROLE boss; ${documentsTableSql(addressOf("boss"))}`, "team");
	for (const login of logins)
		await server.sql(`CREATE ROLE ${login} LOGIN PASSWORD 'pw-${login}' IN ROLE ${GROUP}`, "team");
	return {
		...server,
		home,
		addressOf,
		open: (login: string): Carrier => openPostgres(addressOf(login), home),
		/** Statements as a login that has a client of its own; the rows of the last, or what the server says against it. */
		async tryAs(login: string, sql: string): Promise<unknown[] | string> {
			const client = new Client({ host: "127.0.0.1", port, user: login, password: `pw-${login}`, database: "team" });
			client.on("error", () => {});
			await client.connect();
			const rows = (all: unknown) => ([all] as { rows: unknown[] }[]).flat().at(-1)!.rows;
			return client
				.query(sql)
				.then(rows, ({ message }) => message)
				.finally(() => client.end());
		},
	};
}

/** A home with a password file. */
export function homeWith(lines: readonly string[], below = tmpdir()): string {
	const home = mkdtempSync(join(below, "home-"));
	writeFileSync(join(home, ".pgpass"), `${lines.join("\n")}\n`, { mode: 0o600 });
	return home;
}
