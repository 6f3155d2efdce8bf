import { existsSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { sessionEnd } from "../../src/events/session-end.ts";
import { sessionStart } from "../../src/events/session-start.ts";
import { stop } from "../../src/events/stop.ts";
import { subagentStop } from "../../src/events/subagent-stop.ts";
import { userPromptSubmit } from "../../src/events/user-prompt-submit.ts";
import { projectOf } from "../../src/store/project.ts";
import { loadCheckpoint } from "../../src/store/recovery/checkpoints.ts";
import { requestRestore } from "../../src/store/recovery/restore-request.ts";
import { readCheckpointLog } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { type EventSession, eventSession, given } from "../kit/services.ts";

let at: EventSession;
beforeEach(() => {
	at = eventSession("triggers");
});

const taken = (): string[] => readCheckpointLog(at.stored).map(({ trigger, reason }) => `${trigger}: ${reason}`);
const only = (setting: object): void =>
	at.configure({ checkpoints: { usageShare: 0, waveAgents: 0, phases: false, minutes: 0, ...setting } });
const transcript = (): Transcript =>
	new Transcript(at.project, new Date(at.now.getTime() - 60_000)).typed("Build the cart.");
const end = (handler = stop, fields = {}): void => void at.send(handler, fields);

describe("at the end of a turn", () => {
	test("30 minutes without one: one, and not again at once", () => {
		only({ minutes: 30 });
		transcript().write(at.transcript);
		end();
		expect(taken()).toEqual([]);
		at.later(31);
		end();
		end();
		expect(taken()).toEqual(["time_based: 31 minutes without a checkpoint"]);
	});

	test("a finished task list: once, also when the session ends right behind it", () => {
		only({ phases: true });
		transcript().todos(["Round", "completed"]).write(at.transcript);
		end();
		end(sessionEnd, { hook_event_name: "SessionEnd", reason: "other" });
		expect(taken()).toEqual(["phase_transition: task list finished"]);
	});

	test("all switched off: none", () => {
		only({});
		transcript().todos(["Round", "completed"]).write(at.transcript);
		at.later(90);
		end();
		expect(taken()).toEqual([]);
	});
});

describe("a wave", () => {
	const agent = (id: string, fields = {}): void =>
		end(subagentStop, {
			hook_event_name: "SubagentStop",
			agent_id: id,
			agent_type: "Explore",
			last_assistant_message: `said ${id}`,
			...fields,
		});

	test("ends with the last of its subagents, with what each said", () => {
		only({ waveAgents: 1 });
		const lines = transcript();
		lines.line("assistant", {
			message: {
				id: "m",
				type: "message",
				role: "assistant",
				content: ["call-1", "call-2"].map((id) => ({
					type: "tool_use",
					id,
					name: "Agent",
					input: { description: id, prompt: id },
				})),
			},
		});
		lines.write(at.transcript);
		const result = (id: string): void => {
			lines.line("user", {
				message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "done" }] },
			});
			lines.write(at.transcript);
		};
		result("call-1");
		agent("a1");
		expect(taken()).toEqual([]);
		result("call-2");
		agent("a2");
		expect(taken()).toEqual(["wave_complete: a wave of 2 subagents ended"]);
		const { key } = readCheckpointLog(at.stored)[0]!;
		const { waves } = loadCheckpoint(at.stored, key)!;
		expect(waves).toMatchObject([{ number: 1, agents: [{ type: "Explore", said: "said a1" }, { said: "said a2" }] }]);
	}, 20_000);

	test("the fork that writes a summary is none", () => {
		only({ waveAgents: 1 });
		transcript().write(at.transcript);
		agent("a1", { agent_type: "" });
		expect(taken()).toEqual([]);
	});
});

describe("a restore", () => {
	const request = {
		key: "manual_checkpoint_20260301_123045",
		at: "",
		text: "ccg restored manual_checkpoint_20260301_123045: before",
	};
	beforeEach(() => {
		request.at = at.now.toISOString();
	});

	test("reaches the running session with its next event, once", () => {
		requestRestore(at.stored, { session: at.stored.id }, request);
		expect(existsSync(at.stored.paths.followUpMarker)).toBe(true);
		expect(given(at.send(userPromptSubmit), "UserPromptSubmit")).toBe(request.text);
		expect(at.send(userPromptSubmit)).toBe(null);
		expect(existsSync(at.stored.paths.followUpMarker)).toBe(false);
	});

	test("reaches the next session of the project, once, before its notes", () => {
		requestRestore(at.stored, { project: projectOf(at.project).key }, request);
		expect(given(at.send(sessionStart, { source: "startup" }))).toContain(request.text);
		expect(given(at.send(sessionStart, { source: "startup" })) ?? "").not.toContain("ccg restored");
	});

	test("one older than a day reaches nobody, and is removed with its marker", () => {
		const { followUpMarker } = at.stored.paths;
		requestRestore(at.stored, { session: at.stored.id }, request);
		requestRestore(at.stored, { project: projectOf(at.project).key }, request);
		at.later(24 * 60);
		expect(at.send(userPromptSubmit)).toBe(null);
		expect(existsSync(followUpMarker)).toBe(false);
		expect(given(at.send(sessionStart, { source: "startup" })) ?? "").not.toContain("ccg restored");
	});

	test("hours that have passed are told as of the event that injects it", () => {
		requestRestore(at.stored, { session: at.stored.id }, request);
		at.later(5 * 60);
		expect(given(at.send(userPromptSubmit), "UserPromptSubmit")).toContain("5 h have passed until now");
	});

	test("a compaction that was missed does not cost one that waits", () => {
		requestRestore(at.stored, { session: at.stored.id }, request);
		writeFileSync(at.stored.paths.followUpMarker, "missed\n");
		expect(at.send(userPromptSubmit)).toBeNull();
		// the pre-check of the next event looks for it
		expect(existsSync(at.stored.paths.followUpMarker)).toBe(true);
		expect(given(at.send(userPromptSubmit), "UserPromptSubmit")).toBe(request.text);
	});
});
