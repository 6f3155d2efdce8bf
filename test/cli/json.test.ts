import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { snakeKeys } from "../../src/cli/support/answer-json.ts";
import { DATA_KEYS } from "../../src/cli/support/context-json.ts";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { addSession, sessionStore } from "./session-store.ts";

const { home, sid, folder } = sessionStore();
addSession(home, "beef0000-0000-4000-8000-000000000000", folder, "logout");

const READING = [
	["status"],
	["status", "--session", sid],
	["sessions", "list"],
	["sessions", "show", sid],
	["sessions", "export", sid],
	["sessions", "compact", "--session", sid, "--dry-run"],
	["approvals"],
	["report"],
	["env"],
	["handoff"],
	["profile", "list"],
	["profile", "show"],
	["profile", "show", "careful"],
	["profile", "use", "quiet", "--session", sid],
	["task", "status"],
	["task", "ensure", "--goal", "port it"],
	["task", "bundle"],
	["gc", "--dry-run"],
	["memory", "list"],
	["memory", "list", "--notes"],
	["memory", "delete"],
	["memory", "edit"],
	["memory", "move"],
	["memory", "check"],
	["memory", "inventory"],
];

/** Names that are data: tools, models, the keys of config.json. */
const FREE = [...DATA_KEYS, "config"];

test.each(READING.map((args) => [args]))("ccg %j --json: keys in snake_case, times in ISO 8601", async (args) => {
	const { out, err } = await run([LAUNCHER, ...args, "--json"], { env: { HOME: home }, cwd: folder });
	expect(err.replace(/^ccg: of session .*\n/, "")).toBe("");
	const odd: string[] = [];
	let times = 0;
	const look = (value: unknown, path: string): void => {
		if (Array.isArray(value)) for (const [i, one] of value.entries()) look(one, `${path}[${i}]`);
		else if (value !== null && typeof value === "object")
			for (const [key, one] of Object.entries(value)) {
				if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(key)) odd.push(`${path}.${key}`);
				if (/(^|_)(at|timestamp|until)$/.test(key) && one !== null && one !== undefined) {
					times++;
					if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(one))) odd.push(`${path}.${key} ${one}`);
				}
				if (!FREE.includes(key)) look(one, `${path}.${key}`);
			}
	};
	look(JSON.parse(out), "");
	expect(odd).toEqual([]);
	if (["status", "sessions", "approvals", "env"].includes(args[0]!) && args[1] !== "compact")
		expect(times).toBeGreaterThan(0);
});

test.each([
	[
		{ camelCase: 1, "two words": [{ aB: { cDe: 2 } }] },
		{ camel_case: 1, two_words: [{ a_b: { c_de: 2 } }] },
	],
	[{ byTool: { TodoWrite: 1 } }, { by_tool: { TodoWrite: 1 } }],
	[
		[null, "aB", 3],
		[null, "aB", 3],
	],
])("%j is %j", (value, wanted) => expect(snakeKeys(value, ["byTool"])).toEqual(wanted));

test("no command prints JSON in a way of its own", () => {
	const src = resolve(import.meta.dirname, "../../src/cli");
	const found = [...new Bun.Glob("**/*.ts").scanSync(src)].filter((file) =>
		/out\(\s*JSON\.stringify/.test(readFileSync(`${src}/${file}`, "utf8")),
	);
	// the convention is one function; what is left belongs to Claude Code
	expect(found.toSorted()).toEqual(["support/answer-json.ts", "support/settings-change.ts"]);
});
