import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { bash, type ClaudeSandbox, claudeSandbox } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";

let made: ClaudeSandbox;
afterEach(() => made?.close());

/** Asynchronous hooks have to reach the disk before the next call. */
const PAUSE = { delayMs: 400 };

test("the session's context is kept before a compaction, at the end, and over a resume", async () => {
	made = claudeSandbox(
		playing([
			{ tools: [bash("echo calm")], tokens: 20_000 },
			{ tools: [bash("false")], tokens: 90_000, ...PAUSE },
			{ tools: [bash("echo after")], tokens: 15_000, ...PAUSE },
			{ text: "all done", tokens: 16_000 },
			{ text: "still done", tokens: 17_000 },
		]),
	);
	const { session_id } = await made.claude("Never touch legacy.c. Say what is calm.");
	const exported = JSON.parse(made.ccg("sessions", "export", session_id));
	const { context, event_log: log } = exported;
	expect(context.facts).toContain("Never touch legacy.c.");
	expect(context.recent_history.filter(({ role }: { role: string }) => role === "user")).toHaveLength(1);
	expect(context.tool_stats).toMatchObject({ total_calls: 3, by_tool: { Bash: 3 }, failures: 1 });
	// the summariser's own call is none of the session's
	expect(Object.values(context.token_usage)).toMatchObject([{ messages: 4 }]);
	expect(context.system_state).toMatchObject({ compactions: 1, ended: "other" });
	expect(context.recent_history.at(-1)).toMatchObject({ role: "assistant", content: "all done" });
	const kinds = log.map(({ kind }: { kind: string }) => kind);
	expect(kinds).toContain("compaction");
	expect(kinds.at(-1)).toBe("ended");
	// written by the hook beside PreCompact: it stands in the event log before what came after the compaction
	const path = join(made.store, "sessions", session_id, "events.jsonl");
	expect(new Set(log.map(({ id }: { id: string }) => id)).size).toBe(
		readFileSync(path, "utf8").trim().split("\n").length,
	);

	await made.claude("And now?", "--resume", session_id);
	const after = JSON.parse(made.ccg("sessions", "show", session_id, "--json"));
	expect(after.recent_history.slice(0, context.recent_history.length)).toEqual(context.recent_history);
	expect(after.recent_history.at(-1)).toMatchObject({ role: "assistant", content: "still done" });
	expect(Object.values(after.token_usage)).toMatchObject([{ messages: 5 }]);
	expect(made.ccg("doctor", "--json")).not.toContain('"status": "fail"');
});

/** Leaves only this event's hook to keep the context. */
const only = (event: string) => (settings: Record<string, unknown>) => {
	const hooks = settings.hooks as Record<string, { hooks: { command: string }[] }[]>;
	for (const [name, groups] of Object.entries(hooks))
		if (name !== event)
			hooks[name] = groups.filter(({ hooks: [own] }) => !/ hook (?:stop|session-end);/.test(own!.command));
};

test("PreCompact's own part runs beside the compaction", async () => {
	made = claudeSandbox(
		playing([
			{ tools: [bash("echo calm")], tokens: 20_000 },
			{ tools: [bash("echo near")], tokens: 90_000, ...PAUSE },
			{ tools: [bash("echo after")], tokens: 15_000, ...PAUSE },
			{ text: "all done", tokens: 16_000 },
		]),
	);
	made.settings(only("PreCompact"));
	const { session_id } = await made.claude("Never touch legacy.c.");
	const context = JSON.parse(made.ccg("sessions", "show", session_id, "--json"));
	const contents = context.recent_history.map(({ content }: { content: string }) => content).join("\n");
	// the transcript may lag behind its hooks by a line
	expect(contents).toContain("echo calm");
	expect(contents).not.toContain("echo after");
});

test("Stop tells what runs in the background", async () => {
	made = claudeSandbox(
		playing([
			{
				tools: [{ name: "Bash", input: { command: "sleep 30", description: "a long sleep", run_in_background: true } }],
				tokens: 20_000,
			},
			{ text: "started", tokens: 16_000 },
			{ text: "ended", tokens: 16_000 },
		]),
	);
	made.settings(only("Stop"));
	made.settings((settings) => {
		settings.permissions = { allow: ["Bash"] };
	});
	const terminal = made.terminal();
	await terminal.shows("❯");
	terminal.type("Start it.");
	terminal.enter();
	await terminal.shows("started");
	await Bun.sleep(1_500);
	const [{ session_id }] = JSON.parse(made.ccg("sessions", "list", "--json"));
	const { background_tasks: tasks } = JSON.parse(made.ccg("sessions", "show", session_id, "--json"));
	expect(tasks).toMatchObject([{ kind: "shell", status: "running", description: "a long sleep — sleep 30" }]);
});
