import { afterAll, beforeAll, expect, test } from "vitest";
import { postgresServer, type Server } from "../../kit/postgres.ts";
import { homeAt } from "../../kit/sync-commands.ts";
import { describeWith } from "../../kit/with-programs.ts";
import { scratch } from "../../scratch-home.ts";

describeWith("postgres")("the commands on a real PostgreSQL", () => {
	let server: Server;
	beforeAll(async () => {
		server = await postgresServer();
	}, 60_000);
	afterAll(() => server?.end());

	test("two machines share by a server: invited, confirmed by a code, told, removed", { timeout: 60_000 }, async () => {
		const base = scratch("commands");
		const [ann, bob] = [homeAt(base, "ann"), homeAt(base, "bob")];
		await ann.ccg("memory", "save", "tests run with bun");
		const made = await ann.ccg("sync", "init", server.place, "--project", "new", "--yes");
		expect(made).toMatchObject({ code: 0, out: expect.stringContaining("Shared 1 item of") });
		const password = new URL(server.place).password;
		expect(made.out).not.toContain(password);
		const status = JSON.parse((await ann.ccg("sync", "status", "--json")).out);
		expect(JSON.stringify(status)).not.toContain(password);
		const invited = await ann.ccg("sync", "join", "--role", "writer");
		const [, address, code] = /ccg sync join '(\S+)' --invitation (\S+)/.exec(invited.out)!;
		const asked = await bob.ccg("sync", "join", address!, "--invitation", code!);
		expect(asked).toMatchObject({ code: 0, err: "" });
		const [, confirm] = /ccg sync join ([0-9a-f-]{23})/.exec(asked.out)!;
		expect((await ann.ccg("sync", "join", confirm!, "--role", "writer")).out).toContain("bob on ");
		expect((await bob.ccg("sync", "init", "--project", status.projects[0].id, "--yes")).code).toBe(0);
		expect(bob.shared()).toMatch(/ann on .*: tests run with bun/);
		await bob.ccg("memory", "save", "the port is 8080");
		expect(await bob.ccg("sync", "now")).toMatchObject({ code: 0 });
		expect(await ann.ccg("sync", "now")).toMatchObject({ code: 0, out: expect.stringMatching(/^Received 1 batch/) });
		expect(ann.shared()).toMatch(/bob on .*: the port is 8080/);
		const members = JSON.parse((await ann.ccg("sync", "status", "--json")).out).members as {
			person: string;
			machine: string;
		}[];
		const { machine: gone } = members.find(({ person }) => person === "bob")!;
		// the server hears of it with the next exchange, where it does not answer now
		await server.kill();
		expect(await ann.ccg("sync", "leave", gone, "--yes")).toMatchObject({ code: 1 });
		await server.start();
		expect(await ann.ccg("sync", "now")).toMatchObject({ code: 0 });
		await bob.ccg("memory", "save", "after it");
		expect((await bob.ccg("sync", "now")).code).toBe(1);
	});
});
