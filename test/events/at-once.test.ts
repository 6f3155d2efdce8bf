import { expect, test } from "vitest";
import { postToolUse } from "../../src/events/post-tool-use.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { logPath } from "../../src/store/paths.ts";
import { readCycle } from "../../src/store/session/cycles.ts";
import { linesOf, type Run } from "../kit/sandbox.ts";
import { at } from "./compaction-session.ts";

const press = (): void => {
	at.session().write(at.transcript);
	at.send(postToolUse);
};
const compact = (): void => void at.compact(at.session());
const give = (): void => {
	compact();
	at.start("compact");
};

/** So many processes, of these hooks in turn. */
const launch = (count: number, ...hooks: string[]): Promise<Run[]> =>
	Promise.all(Array.from({ length: count }, (_, i) => at.launch(hooks[i % hooks.length]!, { source: "compact" })));

test.each<[string, () => void, number, string[]]>([
	['"additionalContext":"ccg nudge', press, 24, ["pre-tool-use"]],
	['"additionalContext":"ccg recovery', compact, 8, ["session-start"]],
	['"systemMessage":"ccg: the summary holds', give, 6, ["pre-tool-use", "user-prompt-submit"]],
])(
	"%s: one of all that ask at once says so, none of a subagent or another session",
	async (text, prepare, count, hooks) => {
		prepare();
		const others = [
			at.launch("pre-tool-use", { agent_id: "a1" }),
			at.launch("user-prompt-submit", { session_id: "s-2" }),
		];
		expect(await Promise.all(others)).toEqual(Array(2).fill({ code: 0, out: "", err: "" }));
		const runs = await launch(count, ...hooks);
		expect(runs.filter(({ code, err }) => code !== 0 || err)).toEqual([]);
		expect(runs.filter(({ out }) => out.includes(text))).toHaveLength(1);
		expect(linesOf(logPath(at.store))).toEqual([]);
	},
);

test("of eight measurements at once that see the context fall one ends the cycle", async () => {
	press();
	expect(at.send(preToolUse)).not.toBeNull();
	at.session(20_000).write(at.transcript);
	await launch(8, "post-tool-use");
	expect(readCycle(at.stored).number).toBe(1);
});
