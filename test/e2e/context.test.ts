import { expect, test } from "vitest";
import { type ClaudeSandbox, claudeSandbox } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";
import { bash, does, says, thenDoes } from "./replies.ts";

let made: ClaudeSandbox;

test("the session's context is kept before a compaction, at the end, and over a resume", async () => {
	made = claudeSandbox(
		playing([
			does(20_000, bash("echo calm")),
			thenDoes(90_000, bash("false")),
			thenDoes(15_000, bash("echo after")),
			says(16_000, "all done"),
			says(17_000, "still done"),
		]),
	);
	const { session_id } = await made.claude("Never touch legacy.c. Say what is calm.");
	const { context } = JSON.parse(made.ccg("status", session_id, "--json"));
	expect(context.facts).toEqual(["Never touch legacy.c. Say what is calm."]);
	expect(context.recent_history.filter(({ role }: { role: string }) => role === "user")).toHaveLength(1);
	expect(context.tool_stats).toMatchObject({ total_calls: 3, by_tool: { Bash: 3 }, failures: 1 });
	// the summariser's own call is none of the session's
	expect(Object.values(context.token_usage)).toMatchObject([{ messages: 4 }]);
	expect(context.system_state).toMatchObject({ compactions: 1, ended: "other" });
	expect(context.recent_history.at(-1)).toMatchObject({ role: "assistant", content: "all done" });

	await made.claude("And now?", "--resume", session_id);
	const { context: after } = JSON.parse(made.ccg("status", session_id, "--json"));
	expect(after.recent_history.slice(0, context.recent_history.length)).toEqual(context.recent_history);
	expect(after.recent_history.at(-1)).toMatchObject({ role: "assistant", content: "still done" });
	expect(Object.values(after.token_usage)).toMatchObject([{ messages: 5 }]);
	expect(made.ccg("doctor", "--json")).not.toContain('"status": "fail"');
});
