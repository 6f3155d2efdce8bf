import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { batches, type Joined, owner, postgresServer, type Server, SPACE } from "../../kit/postgres.ts";
import { printedBy } from "../../kit/process.ts";
import { REPO } from "../../kit/sandbox.ts";
import { describeWith } from "../../kit/with-programs.ts";
import { scratch } from "../../scratch-home.ts";

describeWith("postgres")("the bundle", () => {
	let server: Server;
	let first: Joined;
	beforeAll(async () => {
		server = await postgresServer({ fsync: "off" });
		first = await owner(server);
		await first.carrier.append(first.machine, batches(1, 3));
	}, 60_000);
	afterAll(() => server?.end());

	const OPEN = join(REPO, "dist", "src", "sync", "postgres", "open");
	/** What a command does: it asks for the bundle by its path. */
	const script = () => `
		const target = ${JSON.stringify({ host: "127.0.0.1", port: server.port, database: "team", sslmode: "disable", login: first.login })};
		require(${JSON.stringify(OPEN)}).openPostgres(target, ${JSON.stringify(SPACE)}).then(async (carrier) => {
			const read = await carrier.read(${JSON.stringify(first.machine)}, 2);
			console.log(read.map(({ seq, bytes }) => seq + " " + Buffer.from(bytes)).join());
			await carrier.close();
		});`;

	test("works on Bun", () => {
		const file = join(scratch(), "entry.cjs");
		writeFileSync(file, script());
		expect(printedBy([process.execPath, file])).toBe("2 batch 2,3 batch 3\n");
	});
});
