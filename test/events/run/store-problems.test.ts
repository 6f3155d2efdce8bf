import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { databasePath, logPath, sessionPaths } from "../../../src/store/paths.ts";
import { readNudged } from "../../../src/store/pressure/flags.ts";
import { readKnownCycle } from "../../../src/store/session/cycles.ts";
import { sessionHandle } from "../../../src/store/session-handle.ts";
import { change, claimMarker, dropMarker, endCycleOf } from "../../kit/cycle.ts";
import { LAUNCHER, linesOf, run, type Sandbox, sandbox } from "../../kit/sandbox.ts";
import { storeAt } from "../../kit/store.ts";

const sql = (statement: string) => (path: string) => {
	const database = new Database(path);
	database.run(statement);
	database.close();
};
const damage = (path: string): void => writeFileSync(path, "no database".repeat(1_000));
const SPOILS = {
	damaged: damage,
	"damaged as its copy is": (path: string): void => [path, `${path}.copy`].forEach(damage),
	"of a newer ccg": sql("PRAGMA user_version = 99"),
	"of an older ccg": sql("PRAGMA user_version = 1"),
	"with a view that has no end": sql(
		"CREATE VIEW cycles AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i FROM n",
	),
};

/** A sandbox with a nudge that is due, whose database is as given. */
function spoiled(how: keyof typeof SPOILS): Sandbox {
	const made = sandbox("problems");
	mkdirSync(made.store, { recursive: true });
	SPOILS[how](databasePath(made.store));
	dropMarker(sessionHandle(storeAt(made.store), made.sid));
	return made;
}

const started = ({ env, project: cwd, sid }: Sandbox, args: string[], fields: object) =>
	run([LAUNCHER, ...args], { env, cwd, input: { session_id: sid, cwd, ...fields } });
const CALL = { tool_name: "Bash", hook_event_name: "PreToolUse" };
const MEASURED = { model: { id: "claude-sonnet-4-6" }, context_window: { current_usage: { input_tokens: 9_000 } } };

const aside = ({ store }: Sandbox): string[] => readdirSync(store).filter((name) => name.includes(".damaged-"));

test.each([
	["damaged", "was damaged"],
	["of an older ccg", "is of version 1, and this ccg reads 6"],
	["with a view that has no end", "holds what ccg did not put there"],
] as const)("a database that is %s is set aside, told once as what it is, and the hook answers", async (how, what) => {
	const made = spoiled(how);
	expect(await started(made, ["hook", "pre-tool-use"], CALL)).toMatchObject({ code: 0, err: "" });
	expect(linesOf(logPath(made.store))).toEqual([
		expect.stringContaining(`the store ${databasePath(made.store)} ${what}; kept as`),
	]);
	expect(aside(made)).toHaveLength(1);
});

test("where the daily copy can't be used either, both are kept and a new one is made, once", async () => {
	const made = spoiled("damaged as its copy is");
	expect(await started(made, ["hook", "pre-tool-use"], CALL)).toMatchObject({ code: 0, err: "" });
	expect(aside(made)).toHaveLength(2);
	expect(await started(made, ["status", "--json"], {})).toMatchObject({ code: 0, err: "" });
	expect(aside(made)).toHaveLength(2);
});

test("one of a newer ccg is left alone: the nudge comes, with a line in the log; a command says why", async () => {
	const made = spoiled("of a newer ccg");
	const nudge = expect.stringContaining("ccg nudge");
	expect(await started(made, ["hook", "pre-tool-use"], CALL)).toEqual({ code: 0, out: nudge, err: "" });
	expect(linesOf(logPath(made.store))).toEqual([expect.stringContaining("written by a newer ccg (99)")]);
	const { code, err } = await started(made, ["status", "--json"], {});
	expect([code, err]).toEqual([1, expect.stringMatching(/written by a newer ccg \(99\)/)]);
	expect(aside(made)).toEqual([]);
});

test("measurements know each change of the cycle without the database, and a file that is lost comes back", () => {
	const session = sessionHandle(storeAt(sandbox("known").store), "s-1");
	expect(readKnownCycle(session)).toEqual({ compactedAt: "" });
	change(session, { number: 1, place: { folder: "/cart" } });
	claimMarker(session, 5);
	expect([readKnownCycle(session), readNudged(session)?.tokens]).toEqual([
		{ compactedAt: "", number: 1, place: { folder: "/cart" } },
		5,
	]);
	rmSync(session.paths.cycle);
	endCycleOf(session);
	expect([readKnownCycle(session).number, readNudged(session)]).toEqual([2, null]);
});

test("the status line needs no database", async () => {
	const made = spoiled("of a newer ccg");
	expect(await started(made, ["statusline"], MEASURED)).toMatchObject({ code: 0, err: "" });
	expect(linesOf(logPath(made.store))).toEqual([]);
	expect(existsSync(sessionPaths(made.store, made.sid).pressure)).toBe(true);
});
