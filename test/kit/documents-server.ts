import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import type { Carrier } from "../../src/sync/carrier.ts";
import { createSql, openPostgres } from "../../src/sync/postgres.ts";
import { postgresServer, type Server } from "./postgres.ts";

export const GROUP = "ccg_team";

export type DocumentsServer = Awaited<ReturnType<typeof documentsServer>>;

/** A server whose database `team` holds the table, made by `boss`, with logins of the group. Their password is `pw-LOGIN`. */
export async function documentsServer(
	logins: readonly string[],
	settings: Parameters<typeof postgresServer>[0] = {},
	more?: Parameters<typeof postgresServer>[1],
) {
	const server: Server = await postgresServer({ fsync: "off", ...settings }, more);
	const lines = ["*:*:*:boss:boss-1", ...logins.map((login) => `*:*:*:${login}:pw-${login}`)];
	const home = homeWith(lines, server.folder);
	const port = Number(new URL(server.place).port);
	const addressOf = (login: string): string => `postgres://${login}@127.0.0.1:${port}/team?sslmode=disable`;
	await server.sql(`SET ROLE boss; ${createSql(addressOf("boss"))}`, "team");
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
			try {
				return [(await client.query(sql)) as unknown as { rows: unknown[] }].flat().at(-1)!.rows;
			} catch (error) {
				return (error as Error).message;
			} finally {
				await client.end();
			}
		},
	};
}

/** A home with a password file. */
export function homeWith(lines: readonly string[], below = tmpdir()): string {
	const home = mkdtempSync(join(below, "home-"));
	writeFileSync(join(home, ".pgpass"), `${lines.join("\n")}\n`, { mode: 0o600 });
	return home;
}
