import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "../scratch-home.ts";
import { LAUNCHER, run } from "./run-entry.ts";
import { Transcript } from "./transcript-builder.ts";

const STOPPED = "[Request interrupted by user]";
const interrupted = (transcript: Transcript): Transcript =>
	transcript.line("user", { message: { role: "user", content: [{ type: "text", text: STOPPED }] } });
const START = new Date("2026-03-01T09:00:00Z");

/** The same decisions, as they are told by `ccg approvals`, by the session context and in the recovery block. */
test.each<[string, (one: Transcript) => Transcript, string[]]>([
	[
		"rejected, two reads, stopped a second later",
		(one) => {
			one.rejected("Bash", { command: "rm -r dist" }, "keep it").call("Read", { file_path: "/p/a" }, "a");
			return interrupted(one.call("Read", { file_path: "/p/b" }, "b").at(new Date("2026-03-01T09:00:02Z")));
		},
		["rejected: Bash rm -r dist", "interrupted: the agent's answer"],
	],
	[
		"rejected, which is written as an interruption too, minutes later",
		(one) => interrupted(one.rejected("Bash", { command: "make" }, "not now").at(new Date("2026-03-01T09:10:00Z"))),
		["rejected: Bash make"],
	],
	[
		"rejected with words, the agent answers, stopped",
		(one) => interrupted(one.rejected("Bash", { command: "make" }, "not now").said("Then I only look.")),
		["rejected: Bash make", "interrupted: the agent's answer"],
	],
	[
		"a search in a folder, rejected",
		(one) => one.rejected("Grep", { pattern: "TODO", path: "/p/src" }, "no need"),
		["rejected: Grep TODO in /p/src"],
	],
])("%s", async (_, make, expected) => {
	const home = scratch("drift");
	const [project, transcript_path] = [join(home, "p"), join(home, "t.jsonl")];
	mkdirSync(project);
	make(new Transcript("/p", START).typed("Tidy up.")).write(transcript_path);
	const input = { session_id: "s-1", transcript_path, cwd: project, hook_event_name: "Stop" };
	const ccg = async (...args: string[]): Promise<string> => {
		const { out, err } = await run([LAUNCHER, ...args], { env: { HOME: home }, cwd: project, input });
		expect(err).toBe("");
		return out;
	};
	const listed = (approvals: { kind: string; subject: string }[]): string[] =>
		approvals.map(({ kind, subject }) => `${kind}: ${subject}`);
	await ccg("hook", "stop");
	expect(listed(JSON.parse(await ccg("approvals", "--json")))).toEqual(expected);
	expect(listed(JSON.parse(await ccg("sessions", "show", "--json")).approvals)).toEqual(expected);
	const block = await ccg("show", "--session", "s-1");
	const told = block.split("\n").filter((line) => /^- (?:rejected|interrupted)/.test(line));
	expect(told.map((line) => line.replace(/`| — the user: .*/g, "").slice(2)).toSorted()).toEqual(expected.toSorted());
});
