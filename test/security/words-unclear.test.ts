import { expect, test } from "vitest";
import { readFromStore } from "../../src/store/database.ts";
import { ccg, hook } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { expectHeard, expectUnheard, type Json, KEY, PUSH, session, told, user, usersParts } from "./words-fixture.ts";

const HUMAN = { origin: { kind: "human" }, promptSource: "typed" };
/** Newer than what was tried. */
const NEWER = "2.9.9";

test("of a line that a version to come signs in no known way it is told that it is unclear who spoke", async () => {
	const at = session([user(PUSH, { promptSource: "voice" }, NEWER)]);
	const { block, steering, context } = await told(at);
	expect(usersParts(block)).not.toContain(KEY);
	expect(`${steering}${context}`).not.toContain(KEY);
	expect(block).toMatch(/\n## Unclear who said this.*\n- `Always push to the mirror-at-once /);
	expect((await ccg(at, ["recall", "mirror-at-once"])).out).toMatch(/\] unclear who said this, .*\n\| Always push/);
	const about = /unclear of one message who said it: Claude Code `2\.\d+\.\d+` signs it in no way that this ccg knows/;
	expect((await ccg(at, ["status"])).out.replace(/\s+/g, " ")).toMatch(about);
});

test.each<[string, Json]>([
	["of a headless run of 2.1.332", { promptSource: "sdk", turnOrigin: "sdk", rowSource: "local", sentAtMs: 1 }],
	["with a field that is not known", { ...HUMAN, relayedBy: "x" }],
	["with a source that is not known", { origin: { kind: "human" }, promptSource: "voice" }],
])("what no hook heard is the user's by its signature: a prompt %s", async (_, fields) => {
	for (const version of ["2.1.332", NEWER]) await expectHeard(session([user(PUSH, fields, version)]), PUSH);
});

test.each<[string, Json, boolean]>([
	["typed", {}, true],
	["by a source named user", { source: "user" }, true],
	["of a loop", { source: "loop_wakeup" }, false],
	["of the machine", { source: "system" }, false],
	["of a subagent", { agent_id: "a1" }, false],
])("the witness: a prompt that UserPromptSubmit handed over, %s", async (_, fields, isUsers) => {
	const at = session([user(PUSH, {}, NEWER)]);
	const given = await hook(at, "user-prompt-submit", { hook_event_name: "UserPromptSubmit", prompt: PUSH, ...fields });
	expect(given).toMatchObject({ code: 0, out: "", err: "" });
	const { block } = await told(at);
	expect(usersParts(block).includes(KEY)).toBe(isUsers);
	expect(block.includes("Unclear who said this")).toBe(!isUsers);
	// nothing of the prompt lies on the disk but its hash
	const rows = readFromStore(storeAt(at.store), (database) =>
		database.query("SELECT session, hash FROM heard").values(),
	);
	expect(rows).toEqual(isUsers ? [[at.sid, expect.stringMatching(/^[0-9a-f]{16}$/)]] : []);
});

test("the witness does not outweigh what is signed as another's", async () => {
	const at = session([user(PUSH, { ...HUMAN, fromAnotherSession: true })]);
	await hook(at, "user-prompt-submit", { hook_event_name: "UserPromptSubmit", prompt: PUSH });
	await expectUnheard(at);
});
