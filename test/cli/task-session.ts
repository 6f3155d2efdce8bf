import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach } from "vitest";
import { writeUsage } from "../../src/store/pressure/flags.ts";
import { keepPlace } from "../../src/store/session/place.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { runCcg } from "../kit/ccg.ts";
import { storeAt } from "../kit/store.ts";
import { usage } from "../kit/usage.ts";
import { scratch } from "../scratch-home.ts";

/** A home in which session `s-1` calls `ccg task`, on a clock of its own; made anew for each test. */
export const at = {
	home: "",
	store: "",
	/** The session's folder. */
	root: "",
	env: {} as Record<string, string>,
	now: new Date(),
	stdin: "",
};
beforeEach(() => {
	const home = scratch("task");
	const store = join(home, ".claude-memory");
	const env = { HOME: home, CLAUDE_CODE_SESSION_ID: "s-1" };
	Object.assign(at, { home, store, env, root: join(store, "sessions", "s-1"), stdin: "" });
	at.now = new Date("2026-01-31T12:00:00.000Z");
});

export const task = async (...args: string[]) => {
	const ran = await runCcg(["task", ...args], { ...at, cwd: at.home });
	return Object.assign(ran, { status: ran.out.split("\n")[0] });
};

export const file = () => join(at.root, "task-state.json");
export const latest = () => join(at.root, "summaries", "latest-summary.md");
export const read = (path: string): string => readFileSync(path, "utf8");
export const state = () => JSON.parse(read(file()));
export const handle = (sid = "s-1") => sessionAt(storeAt(at.store), sid);

export function write(path: string, text: string): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
}

/** A session that began, and a measurement, as a share of a trigger of 100,000. */
export function measure(share: number | null, moment = at.now, sid = "s-1", folder = at.home): void {
	mkdirSync(folder, { recursive: true });
	const tokens = share === null ? null : share * 100_000;
	keepPlace(handle(sid), folder);
	writeUsage(handle(sid), usage({ cwd: folder, at: moment.toISOString(), tokens, trigger: 100_000, window: 133_000 }));
}
