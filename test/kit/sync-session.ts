import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Transcript } from "./events.ts";
import { LAUNCHER, run } from "./sandbox.ts";
import type { Home } from "./sync-commands.ts";

/** What a session leaves in a home: a task, a checkpoint, the summary of a compaction, passages in the search index. */
export async function sessionIn({ home, project, ccg }: Home, sid: string, subject: string): Promise<void> {
	const path = join(home, ".claude", "projects", "p", `${sid}.jsonl`);
	mkdirSync(dirname(path), { recursive: true });
	new Transcript(project)
		.typed(`Port the ${subject} in ${project}/src, and never touch its tests.`)
		.said(`The ${subject} reads its table twice. The password is hunter2hunter2.`)
		.call("Bash", { command: `cat ${subject}.log` }, `output of the ${subject}'s tool`)
		.said(`A long word on the ${subject}. ${"It goes on and on. ".repeat(150)}The ${subject} ends.`)
		.write(path);
	const fields = { session_id: sid, transcript_path: path, cwd: project };
	const hook = async (name: string, more: object) => {
		const how = { env: { HOME: home, CLAUDE_PROJECT_DIR: project }, cwd: project, input: { ...fields, ...more } };
		const { code, err } = await run([LAUNCHER, "hook", name], how);
		if (code !== 0 || err) throw new Error(err);
	};
	await hook("session-start", { hook_event_name: "SessionStart", source: "startup" });
	const { code, err } = await ccg("task", "ensure", "--goal", `port the ${subject}`, "--session", sid);
	if (code !== 0) throw new Error(err);
	await hook("pre-compact", { hook_event_name: "PreCompact", trigger: "manual", custom_instructions: "" });
	await hook("session-start", { hook_event_name: "SessionStart", source: "compact" });
	const compact_summary = `The ${subject} is half ported; ${project}/src is where it stands.`;
	await hook("post-compact", { hook_event_name: "PostCompact", trigger: "manual", compact_summary });
	await hook("stop", { hook_event_name: "Stop" });
}
