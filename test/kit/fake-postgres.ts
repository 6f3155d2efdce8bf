import { createServer, type Socket } from "node:net";

/** A message as a server sends it. */
export function message(type: string, ...body: (number | string | Buffer)[]): Buffer {
	const bytes = body.map((part) => (typeof part === "number" ? Buffer.from([part]) : Buffer.from(part as string)));
	return Buffer.concat([Buffer.from(type), int(Buffer.concat(bytes).length + 4, 4), ...bytes]);
}

export const auth = (kind: number, ...body: (number | string)[]): Buffer => message("R", 0, 0, 0, kind, ...body);
export const SAYS = {
	in: Buffer.concat([auth(0), message("Z", "I")]),
	clear: auth(3),
	md5: auth(5, 1, 2, 3, 4),
	scram: auth(10, "SCRAM-SHA-256\0\0"),
	other: auth(7),
};

function int(value: number, bytes: 2 | 4): Buffer {
	const made = Buffer.alloc(bytes);
	made.writeIntBE(value, 0, bytes);
	return made;
}

/** The head of rows with such columns (of a type's number), and one row of texts. */
export const columns = (...types: number[]): Buffer =>
	message(
		"T",
		int(types.length, 2),
		...types.map((type) =>
			Buffer.concat([Buffer.from("c\0"), int(0, 4), int(0, 2), int(type, 4), int(-1, 2), int(-1, 4), int(0, 2)]),
		),
	);
export const row = (...texts: string[]): Buffer =>
	message(
		"D",
		int(texts.length, 2),
		...texts.map((text) => Buffer.concat([int(Buffer.byteLength(text), 4), Buffer.from(text)])),
	);
export const done = (rows: number): Buffer => Buffer.concat([message("C", `SELECT ${rows}\0`), message("Z", "I")]);

/**
 * What claims to be a server: it gives one answer to each thing that it is sent, and nothing behind the last. On the loopback, or in a folder
 * as a socket. `got` is all that it was sent.
 */
export async function fakePostgres(
	answers: readonly (Buffer | ((socket: Socket, got: string) => void))[],
	folder?: string,
) {
	let got = Buffer.alloc(0);
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		let next = 0;
		sockets.add(socket);
		socket.on("error", () => {});
		socket.on("data", (some) => {
			got = Buffer.concat([got, some as Buffer]);
			const answer = answers[next++];
			if (typeof answer === "function") answer(socket, got.toString("latin1"));
			else if (answer) socket.write(answer);
		});
	});
	await new Promise<void>((resolve) => {
		if (folder) server.listen(`${folder}/.s.PGSQL.5432`, resolve);
		else server.listen(0, "127.0.0.1", resolve);
	});
	const address = folder
		? `postgres:///team?host=${folder}&user=ada`
		: `postgres://ada@127.0.0.1:${(server.address() as { port: number }).port}/team?sslmode=disable`;
	return {
		address,
		got: () => got.toString("latin1"),
		end() {
			for (const socket of sockets) socket.destroy();
			server.close();
		},
	};
}
