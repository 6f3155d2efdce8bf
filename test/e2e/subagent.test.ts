import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { bash, type ClaudeSandbox, claudeSandbox, everything, holding } from "./claude-sandbox.ts";

let made: ClaudeSandbox;
afterEach(() => made?.close());

test("a subagent's tool calls do not eat the nudge; the main thread gets it", async () => {
	const task = "Count the files of this folder and report the number.";
	let main = 0;
	let sub = 0;
	made = claudeSandbox((request) => {
		if (request.first.includes(task)) {
			if (sub++ === 0) {
				// pressure rises while the subagent works
				mkdirSync(join(made.store, "run", "flush"), { recursive: true });
				writeFileSync(
					join(made.store, "run", "flush", request.session),
					JSON.stringify({
						version: 1,
						at: new Date().toISOString(),
						tokens: 40_000,
						distance: 27_000,
						trigger: 67_000,
					}),
				);
				return { tools: [bash("echo subagent one"), bash("echo subagent two")], tokens: 10_000 };
			}
			return { text: "There are 0 files.", tokens: 11_000 };
		}
		main++;
		if (main === 1)
			return {
				tools: [
					{
						name: "Agent",
						input: {
							description: "count files",
							prompt: task,
							subagent_type: "general-purpose",
							run_in_background: false,
						},
					},
				],
				tokens: 20_000,
			};
		if (main === 2) return { tools: [bash("echo main")], tokens: 21_000 };
		return { text: "done", tokens: 22_000 };
	});
	const { session_id } = await made.claude("Count the files with an agent.");
	expect(sub).toBeGreaterThan(1);
	const ofSubagent = made.api.requests.filter((request) => request.first.includes(task));
	const ofMain = made.api.requests.filter((request) => !request.first.includes(task));
	expect(holding(ofSubagent, "ccg nudge")).toHaveLength(0);
	expect(everything(ofMain.at(-1)!)).toContain("ccg nudge");
	expect(existsSync(join(made.store, "run", "flush", session_id))).toBe(false);
});
