import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { documentsTableSql } from "../../src/sync/postgres.ts";
import { gitIn } from "../kit/git.ts";
import { postgresServer } from "../kit/postgres.ts";
import { linesOf, run } from "../kit/sandbox.ts";
import { joins, twoHomes } from "../kit/sync-commands.ts";
import { canRun } from "../kit/with-programs.ts";
import { putEvilProgram } from "./launch-fixture.ts";
import HOSTILE from "./sync-hostile.json";
import { hostileIn } from "./sync-hostile.ts";

test.each(["folder", "git", ...(canRun("postgres") ? ["postgres"] : [])])(
	"what a repository puts into a session's environment reaches no exchange of the Stop hook: %s",
	async (kind) => {
		const { base, place, ann, bob } = twoHomes(`environment-${kind}`);
		const far = join(base, "far.git");
		gitIn(base, base, ["init", "-q", "--bare", far]);
		const server = kind === "postgres" ? await postgresServer() : null;
		onTestFinished(() => server?.end());
		for (const { home } of [ann, bob]) writeFileSync(join(home, ".pgpass"), "*:*:*:*:boss-1\n", { mode: 0o600 });
		const database = server && `postgres://boss@127.0.0.1:${server.port}/team?sslmode=disable`;
		if (database) await server.sql(`SET ROLE boss; ${documentsTableSql(database)}`, "team");
		await ann.init(database ?? (kind === "git" ? `git:${far}` : place));
		await joins(ann, bob);
		await ann.ccg("memory", "save", "the harbour closes at nine");
		const hostile = hostileIn(join(base, "hostile"));
		writeFileSync(join(hostile.base, "config"), hostile.lines("environment's configuration"));
		for (const name of ["git", "ssh", "sh"]) putEvilProgram(hostile, join(hostile.base, name));
		const env: Record<string, string> = { CLAUDE_PROJECT_DIR: ann.project };
		for (const [value, names] of Object.entries(HOSTILE.environment))
			for (const name of names) env[name] = hostile.filled(value);
		const input = { session_id: "s-1", transcript_path: "/none.jsonl", cwd: ann.project, hook_event_name: "Stop" };
		// as it is registered: what lies in a store
		await ann.ccg("install", "--yes");
		await run([join(ann.store, "app/current/bin/ccg"), "hook", "stop"], { env, cwd: ann.project, input });
		const told = () => bob.ccg("sync", "now").then(() => bob.shared());
		await expect.poll(told, { timeout: 15_000, interval: 100 }).toContain("the harbour closes at nine");
		expect(linesOf(join(ann.store, "log", "ccg.log")).filter((line) => line.includes("sync"))).toEqual([]);
		expect(linesOf(hostile.canary).filter((line) => /program|git/.test(line))).toEqual([]);
	},
);
