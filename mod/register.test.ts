/** Runs under `claude plugin test` beside the mod (test/e2e/mod.test.ts): the mod alone, what is beneath it played. */
import { expect, mock, test } from "claude-code/testing";

// biome-ignore lint/suspicious/noExplicitAny: what the kit hands over is typed where it runs
type Any = any;

const SID = "11111111-1111-4111-8111-111111111111";

/** Claude Code beneath the mod: a session of `tokens`, and a launcher that answers by the entry's name. */
function beneath(
	on: Any,
	{ tokens = (): number => 60_000, version = "2.1.330", answers = {} as Record<string, Any> } = {},
): Any[] {
	const ran: Any[] = [];
	on("session.start", (_: Any, e: Any) => ({ cwd: e.cwd }));
	on("session.version", () => ({ value: { version, base: version, builtAt: "" } }));
	on("session.id", () => ({ value: SID }));
	on("session.root", () => ({ value: "/project" }));
	on("session.cwd", () => ({ value: "/project" }));
	on("session.info", () => ({ value: { transcriptPath: "/t.jsonl" } }));
	on("session.usage", (_: Any, e: Any) => {
		const breakdown = { autoCompactThreshold: 67_000, isAutoCompactEnabled: true, rawMaxTokens: 100_000 };
		return {
			value: {
				startedAt: 0,
				rateLimits: [],
				context: { tokens: tokens(), window: 1_000_000, ...(e.breakdown && { breakdown }) },
			},
		};
	});
	on("env.set", () => ({ value: {} }));
	on("command.register", () => ({ value: {} }));
	on("ui.status", () => ({ value: undefined }));
	on("process.run", (_: Any, e: Any) => {
		const name = e.argv[1] === "hook" ? e.argv[2] : e.argv[1];
		const input = e.stdin ? JSON.parse(e.stdin) : e.init?.stdin ? JSON.parse(e.init.stdin) : null;
		ran.push({ name, input });
		const answer = answers[name];
		if (answer === undefined)
			return { value: { exitCode: 1, stdout: "", stderr: "", isStdoutTruncated: false, isStderrTruncated: false } };
		const stdout = typeof answer === "string" ? answer : JSON.stringify(answer);
		return { value: { exitCode: 0, stdout, stderr: "", isStdoutTruncated: false, isStderrTruncated: false } };
	});
	on("tool.call", () => ({ result: "ran" }));
	return ran;
}

const start = ($: Any) => $.session.start({ cwd: "/project", surface: null, isInteractive: false });
const call = ($: Any, more = {}) => $.tool.call({ tool: "Bash", command: "ls", ...more });
const SAID = { role: "user", text: "Build it.", toolUses: [] };
const NUDGE = { nudge: "ccg nudge: near", band: "7k left of 67k, imminent" };

test("the nudge comes with a call of the main thread; nothing runs again before something changes", async ($, on) => {
	const ran = beneath(on, { answers: { "mod-measure": NUDGE } });
	await start($);
	expect((await call($, { agentId: "a1" })).context ?? []).toEqual([]);
	expect((await call($)).context).toEqual(["ccg nudge: near"]);
	expect((await call($)).context ?? []).toEqual([]);
	expect(ran.map(({ name }: Any) => name)).toEqual(["mod-measure"]);
	expect(ran[0].input.mod).toEqual({ tokens: 60_000, trigger: 67_000, window: 100_000, claudeVersion: "2.1.330" });
});

test("a version that is not on the list gets nothing", async ($, on) => {
	const ran = beneath(on, { version: "2.1.999", answers: { "mod-measure": NUDGE } });
	await start($);
	expect((await call($)).context ?? []).toEqual([]);
	expect(ran).toEqual([]);
});

test("a launcher that says nothing costs nothing but itself, and is not asked again at each call", async ($, on) => {
	let tokens = 20_000;
	const ran = beneath(on, { tokens: () => tokens });
	await start($);
	expect((await call($)).result).toBe("ran");
	await call($);
	expect(ran.length).toBe(1);
	tokens += 6_000;
	await call($);
	await call($);
	expect(ran.length).toBe(2);
});

test("a compaction: the instructions stay, the steering text joins them, both parts come behind the summary", async ($, on) => {
	const answers = {
		"pre-compact": "ccg: keep it",
		"mod-compacted": {
			block: "ccg recovery K: one",
			followUp: "ccg recovery K, continued: two",
			line: "ccg: lost one",
		},
	};
	const ran = beneath(on, { answers });
	const session = mock.session(on);
	const clock = mock.clock(on);
	const logged: Any[] = [];
	on("ui.log", (_: Any, e: Any) => {
		logged.push(e.text);
		return { value: undefined };
	});
	const seen: Any[] = [];
	const summary = [{ role: "user", text: "The summary.", toolUses: [] }];
	on("session.compact", (_: Any, e: Any) => {
		seen.push(e.instructions);
		return { messages: summary };
	});
	await start($);
	const result = await $.session.compact({ trigger: "manual", instructions: "mind the API", messages: [SAID] });
	expect(seen).toEqual(["mind the API\n\nccg: keep it"]);
	expect(result.messages).toEqual(summary);
	expect(ran[1].input.compact_summary).toBe("The summary.");
	expect(session.appended().map(({ message }: Any) => [message.type, message.content[0].text])).toEqual([
		["user", "ccg recovery K: one"],
		["user", "ccg recovery K, continued: two"],
	]);
	await clock.advance(1_000);
	expect(logged).toEqual(["lost one"]);
});

test("a subagent's compaction and one made ahead of time are passed on", async ($, on) => {
	const ran = beneath(on, { answers: { "pre-compact": "ccg: keep it" } });
	on("session.compact", () => ({ messages: [SAID] }));
	await start($);
	await $.session.compact({ trigger: "auto", agentId: "a1", messages: [SAID] });
	await $.session.compact({ trigger: "precompute", messages: [SAID] });
	expect(ran).toEqual([]);
});
