import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sessionAt } from "../../src/store/session-handle.ts";
import { dropMarker } from "../kit/cycle.ts";
import { type ClaudeSandbox, claudeSandbox, everything, holding } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";
import { agent, bash, does, says } from "./replies.ts";

let made: ClaudeSandbox;

test("a subagent's tool calls do not eat the nudge; the main thread gets it", async () => {
	const prompt = "Count the files of this folder and report the number.";
	const main = playing([does(20_000, agent(prompt)), does(21_000, bash("echo main")), says(22_000, "done")]);
	const sub = playing([
		does(10_000, bash("echo subagent one"), bash("echo subagent two")),
		says(11_000, "There are 0 files."),
	]);
	made = claudeSandbox((request, index) => {
		if (!request.first.includes(prompt)) return main(request, index);
		// pressure rises while the subagent works, and a status line sees it: a subagent's own hooks measure nothing
		const session = sessionAt({ root: made.store, tell: () => {} }, request.session);
		dropMarker(session, { tokens: 40_000, distance: 27_000, trigger: 67_000 });
		return sub(request, index);
	});
	const { session_id } = await made.claude("Count the files with an agent.");
	const [ofSubagent, ofMain] = [true, false].map((is) =>
		made.api.requests.filter(({ first }) => first.includes(prompt) === is),
	) as [typeof made.api.requests, typeof made.api.requests];
	expect(ofSubagent.length).toBeGreaterThan(1);
	expect(holding(ofSubagent, "ccg nudge")).toHaveLength(0);
	expect(everything(ofMain.at(-1)!)).toContain("ccg nudge");
	expect(existsSync(join(made.store, "run", "flush", session_id))).toBe(false);
});
