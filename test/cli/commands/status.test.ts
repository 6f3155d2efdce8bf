import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { status } from "../../../src/cli/acts/status.ts";
import { moment } from "../../../src/cli/support/layout/moment.ts";
import { initialState } from "../../../src/core/task/task-state.ts";
import { chooseProfile } from "../../../src/store/config/profiles.ts";
import { claimTelling, dropHalt, grantPass, resumeWork } from "../../../src/store/pressure/halt.ts";
import { setCommitted } from "../../../src/store/recovery/pending.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { beginTask } from "../../../src/store/task/task-state.ts";
import { recordedIo } from "../../kit/recorded-io.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

const NOW = new Date("2026-01-31T12:00:00.000Z");
const later = (ms: number): Date => new Date(NOW.getTime() + ms);
let store: string;
let folder: string;

beforeEach(() => {
	store = join(scratch("status"), ".claude-memory");
	folder = join(store, "sessions", "s-1");
	mkdirSync(folder, { recursive: true });
});

function ran(json: boolean, session = "s-1"): string {
	const { io, out } = recordedIo({ env: { CCG_HOME: store }, cwd: folder, launcher: "/opt/ccg/bin/ccg" });
	status({ json, session }, io, NOW);
	return out.join("\n");
}

const mode = (name: string): void =>
	writeFileSync(join(store, "config.json"), JSON.stringify({ guard: { mode: name } }));
const halt = (name: string): void =>
	dropHalt(
		sessionAt(storeAt(store), "s-1"),
		name,
		{ at: NOW.toISOString(), tokens: 90_000, limit: 100_000, critical: 0.85 },
		NOW,
	);

describe("the halt gate", () => {
	const CASES: [string, string, () => void, string, string][] = [
		["off", "off", () => {}, "idle", "off, nothing is held back"],
		["calm", "enforce", () => {}, "idle", "enforce, nothing is held back"],
		[
			"at critical",
			"enforce",
			() => halt("enforce"),
			"held back",
			"enforce, changes are held back until a task checkpoint",
		],
		[
			"after a checkpoint",
			"enforce",
			() => {
				halt("enforce");
				grantPass(sessionAt(storeAt(store), "s-1"), NOW);
			},
			"free",
			"enforce, a checkpoint was written: one change is free",
		],
		[
			"measured before a compaction",
			"enforce",
			() => {
				halt("enforce");
				const at = later(1).toISOString();
				setCommitted(sessionAt(storeAt(store), "s-1"), {
					key: "precompact_checkpoint_20260101_000000",
					at,
					trigger: "auto",
				});
			},
			"idle",
			"enforce, nothing is held back",
		],
		[
			"lifted for a time",
			"enforce",
			() => resumeWork(sessionAt(storeAt(store), "s-1"), NOW, later(60_000)),
			"lifted",
			`enforce, lifted by a person until ${moment(later(60_000).toISOString())}`,
		],
		[
			"lifted",
			"enforce",
			() => resumeWork(sessionAt(storeAt(store), "s-1"), NOW, null),
			"lifted",
			"enforce, lifted by a person until the next compaction",
		],
		[
			"the user was told",
			"warn",
			() => void claimTelling(sessionAt(storeAt(store), "s-1")),
			"critical",
			"warn, the pressure is critical; nothing is held back",
		],
	];
	test.each(CASES)("%s (%s)", (_, name, make, state, text) => {
		mode(name);
		make();
		expect(JSON.parse(ran(true))[0].halt_gate).toMatchObject({ mode: name, state });
		expect(ran(false)).toMatch(new RegExp(`^  halt gate +${text}$`, "m"));
	});
});

test("the profile and the task, where there are some", () => {
	expect(JSON.parse(ran(true))[0]).toMatchObject({ profile: null, task: null });
	expect(ran(false)).not.toMatch(/^ {2}(profile|task|next) /m);
	const profile = { version: 1, name: "careful", compiled_at: "", source: "built-in" } as const;
	chooseProfile(storeAt(store), { sid: "s-1" }, { ...profile, config: { guard: { mode: "enforce" } } });
	beginTask(
		{ folder, tell: () => {} },
		initialState({ task_id: "t", session_id: "s-1", goal: "port\nit", at: NOW.toISOString() }),
	);
	expect(JSON.parse(ran(true))[0]).toMatchObject({
		halt_gate: { mode: "enforce" },
		profile: { name: "careful", by: "session" },
		task: { goal: "port\nit", next_action: "START", status: "active", revision: 1 },
	});
	const text = ran(false);
	expect(text).toMatch(/^ {2}profile +careful \(chosen for the session\)$/m);
	expect(text).toMatch(/^ {2}task +port it \(active, revision 1\)$/m);
	expect(text).toMatch(/^ {2}next +START$/m);
});

test.each([
	["{", "damaged"],
	["{}", "of another tool"],
	['{"version":9}', "newer ccg"],
	['{"version":1}', "goal is missing"],
])("a task state %s is told, not moved", (content, problem) => {
	writeFileSync(join(folder, "task-state.json"), content);
	for (const _ of [1, 2]) expect(JSON.parse(ran(true))[0].task.problem).toContain(problem);
	expect(ran(false)).toContain("/opt/ccg/bin/ccg task status --session s-1");
});

test("a session by the beginning of its id; one that is not known is named", () => {
	expect(JSON.parse(ran(true, "s-"))).toMatchObject([{ session_id: "s-1" }]);
	expect(() => ran(false, "beef")).toThrow(`no session 'beef' in ${store}`);
});
