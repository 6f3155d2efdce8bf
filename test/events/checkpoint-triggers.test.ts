import { existsSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { sessionEnd } from "../../src/events/session-end.ts";
import { sessionStart } from "../../src/events/session-start.ts";
import { stop } from "../../src/events/stop.ts";
import { subagentStop } from "../../src/events/subagent-stop.ts";
import { userPromptSubmit } from "../../src/events/user-prompt-submit.ts";
import { findProject } from "../../src/store/project.ts";
import { requestRestore } from "../../src/store/recovery/restore-request.ts";
import { readCheckpointLog } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { type EventSession, eventSession, given } from "../kit/services.ts";

let at: EventSession;
beforeEach(() => {
	at = eventSession("triggers");
});

const taken = (): string[] => readCheckpointLog(at.stored).map(({ trigger, reason }) => `${trigger}: ${reason}`);
const begin = (setting: object): void => {
	at.configure({ checkpoints: { usageShare: 0, waveAgents: 0, phases: false, minutes: 0, ...setting } });
	const transcript = new Transcript(at.project, new Date(at.now.getTime() - 60_000)).typed("Build the cart.");
	transcript.todos(["Round", "completed"]).write(at.transcript);
};

test.each<[string, object, string[]]>([
	["30 minutes without one", { minutes: 30 }, ["time_based: 31 minutes without a checkpoint"]],
	["a finished task list", { phases: true }, ["phase_transition: task list finished"]],
	["all switched off", {}, []],
])("a turn's end, %s: once, also when the session ends right behind it", (_, setting, expected) => {
	begin(setting);
	at.send(stop);
	at.later(31);
	for (let i = 0; i < 2; i++) at.send(stop);
	at.send(sessionEnd, { hook_event_name: "SessionEnd", reason: "other" });
	expect(taken()).toEqual(expected);
});

const endAgent = (agent_id: string, agent_type = "Explore") =>
	at.send(subagentStop, { hook_event_name: "SubagentStop", agent_id, agent_type, last_assistant_message: "Done." });

// (with what each said: test/e2e/checkpoint.test.ts)
test("a wave ends with the last of its subagents", () => {
	begin({ waveAgents: 1 });
	const calls = ["call-1", "call-2"];
	const content = calls.map((id) => ({ type: "tool_use", id, name: "Agent", input: { description: id, prompt: id } }));
	const lines = new Transcript(at.project).typed("Go.").line("assistant", { message: { role: "assistant", content } });
	for (const id of calls) {
		expect(taken()).toEqual([]);
		const result = [{ type: "tool_result", tool_use_id: id, content: "done" }];
		lines.line("user", { message: { role: "user", content: result } }).write(at.transcript);
		endAgent(`agent of ${id}`);
	}
	expect(taken()).toEqual(["wave_complete: a wave of 2 subagents ended"]);
});

test("the fork that writes a summary is no wave", () => {
	begin({ waveAgents: 1 });
	endAgent("a1", "");
	expect(taken()).toEqual([]);
});

// (that it comes once, to this session or the next: test/cli/stories/checkpoint.txt, test/e2e/checkpoint.test.ts)
describe("a restore", () => {
	const TEXT = "ccg restored manual_checkpoint_20260301_123045: before";
	const ask = (whom: Parameters<typeof requestRestore>[1]): void =>
		requestRestore(at.stored, whom, {
			key: "manual_checkpoint_20260301_123045",
			at: at.now.toISOString(),
			text: TEXT,
		});
	const prompt = () => given(at.send(userPromptSubmit), "UserPromptSubmit");

	test("of a day ago reaches nobody, and is removed with its marker", () => {
		ask({ session: at.stored.id });
		ask({ project: findProject(at.project).key });
		at.later(24 * 60);
		expect(prompt()).toBe(null);
		expect(existsSync(at.stored.paths.followUpFlag)).toBe(false);
		expect(given(at.send(sessionStart, { source: "startup" })) ?? "").not.toContain("ccg restored");
	});

	test("hours that have passed are told as of the event that injects it", () => {
		ask({ session: at.stored.id });
		at.later(5 * 60);
		expect(prompt()).toContain("5 h have passed until now");
	});

	test("a compaction that was missed does not cost one that waits", () => {
		ask({ session: at.stored.id });
		writeFileSync(at.stored.paths.followUpFlag, "missed\n");
		expect(prompt()).toBeNull();
		// the pre-check of the next event looks for it
		expect(existsSync(at.stored.paths.followUpFlag)).toBe(true);
		expect(prompt()).toBe(TEXT);
	});
});
