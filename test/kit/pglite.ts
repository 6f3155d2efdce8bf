import { createServer, type Socket } from "node:net";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { verifierOf } from "../../src/sync/postgres/members.ts";
import type { Server } from "./postgres.ts";

/** A cluster as it is new: to make one takes six seconds, to load it one. */
let made: Promise<File | Blob> | null = null;

/**
 * PostgreSQL 18 as WebAssembly, with pgvector, on the loopback for real clients. It is one session of a superuser: each connection gets its
 * login by `SET SESSION AUTHORIZATION`, once its password fits what the server keeps of it, and goes back to it before each statement. So
 * whoever writes that statement himself is anybody; and there is one database, whatever name is asked for.
 */
export async function pgliteServer({ extension = true } = {}): Promise<Server> {
	made ??= PGlite.create().then(async (one) => {
		const dump = await one.dumpDataDir("none");
		await one.close();
		return dump;
	});
	const db = await PGlite.create({ extensions: { vector }, loadDataDir: await made });
	await db.exec(`CREATE ROLE boss LOGIN CREATEROLE PASSWORD 'boss-1'; ALTER DATABASE postgres OWNER TO boss;
		${extension ? "CREATE EXTENSION vector" : ""}`);
	let at: Socket | null = null;
	/** One at a time, in the session of whose turn it is. */
	let before: Promise<unknown> = Promise.resolve();
	const inTurn = <T>(of: Socket | null, user: string, act: () => Promise<T>): Promise<T> => {
		const done = before.then(async () => {
			if (at !== of || of === null)
				await db.exec(`ROLLBACK; SET SESSION AUTHORIZATION postgres; SET SESSION AUTHORIZATION "${user}"`);
			at = of;
			return act();
		});
		before = done.catch(() => {});
		return done;
	};
	const isLetIn = async (user: string, password: string): Promise<boolean> => {
		const sql = `SELECT rolpassword AS kept FROM pg_authid WHERE rolname = $1 AND rolcanlogin AND coalesce(rolvaliduntil > now(), true)`;
		const { rows } = await inTurn(null, "postgres", () => db.query<{ kept: string | null }>(sql, [user]));
		const [, rounds, salt] = /^SCRAM-SHA-256\$(\d+):([^$]+)\$/.exec(rows[0]?.kept ?? "") ?? [];
		return rounds !== undefined && verifierOf(password, Buffer.from(salt!, "base64"), Number(rounds)) === rows[0]!.kept;
	};

	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		let [user, isIn, bytes, waiting]: [string, boolean, Buffer, Buffer[]] = ["", false, Buffer.alloc(0), []];
		const take = async (type: string, message: Buffer): Promise<void> => {
			if (!user) {
				user = /(?:^|\0)user\0([^\0]+)/.exec(message.toString("utf8", 8))?.[1] ?? "";
				socket.write(said("R", 0, 0, 0, 3));
			} else if (!isIn) {
				isIn = await isLetIn(user, message.toString("utf8", 5, message.length - 1));
				if (isIn) socket.write(Buffer.concat([said("R", 0, 0, 0, 0), said("Z", 73)]));
				else socket.end(said("E", ...Buffer.from("SFATAL\0C28P01\0Mpassword authentication failed\0\0")));
			} else if (type === "X") socket.end();
			else {
				waiting.push(message);
				// what belongs together ends with a Sync
				if (type !== "Q" && type !== "S") return;
				const asked = Buffer.concat(waiting);
				waiting = [];
				const answer = inTurn(socket, user, () => db.execProtocolRaw(asked));
				await answer.then(
					(given) => socket.write(given),
					() => socket.destroy(),
				);
			}
		};
		let taken: Promise<unknown> = Promise.resolve();
		socket.on("data", (some: Buffer) => {
			bytes = Buffer.concat([bytes, some]);
			for (;;) {
				// (the first message has no type)
				const begin = user || bytes.length < 8 ? 1 : 0;
				if (bytes.length < begin + 4 || bytes.length < begin + bytes.readInt32BE(begin)) return;
				const end = begin + bytes.readInt32BE(begin);
				const message = bytes.subarray(0, end);
				bytes = bytes.subarray(end);
				taken = taken.then(() => take(String.fromCharCode(message[0]!), message));
				if (!user) return;
			}
		});
		socket.on("error", () => {});
		socket.on("close", () => sockets.delete(socket));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as { port: number };
	const none = async (): Promise<never> => {
		throw new Error("PGlite does not die");
	};
	return {
		...{ folder: "", port, start: none, kill: none, place: `postgres://boss:boss-1@127.0.0.1:${port}/team` },
		sql: async (text) =>
			(await inTurn(null, "postgres", () => db.exec(text))).at(-1)!.rows as Record<string, unknown>[],
		async end() {
			for (const socket of sockets) socket.destroy();
			server.close();
			await before;
			await db.close();
		},
	};
}

function said(type: string, ...body: number[]): Buffer {
	const size = Buffer.alloc(4);
	size.writeInt32BE(4 + body.length);
	return Buffer.concat([Buffer.from(type), size, Buffer.from(body)]);
}
