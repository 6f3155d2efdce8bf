/** Two projects, for attacks that lead from one to the other. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Transcript } from "../kit/events.ts";
import { ccg, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { play } from "./kit.ts";

export const WORDS = "VICTIM-WORDS: the vault is opened with the blue card";
export const OWN = "OWN-WORDS: build the cart";
export const [SID, OTHER] = ["0c0ffee0-0000-4000-8000-00000000000a", "0c0ffee0-0000-4000-8000-00000000000b"] as const;

export interface Machine extends Sandbox {
	other: string;
	/** A checkpoint of the other project's session, and one of this. */
	key: string;
	own: string;
}

export const PERSON = { CLAUDE_PROJECT_DIR: "", CLAUDE_CODE_SESSION_ID: "" };

/** Two projects, each with a session of which ccg knows all. */
export async function machine(): Promise<Machine> {
	const made = sandbox("confined");
	const at = { ...made, sid: SID, env: { ...made.env, CLAUDE_CODE_SESSION_ID: SID, CLAUDECODE: "1" } };
	const other = join(at.top, "other");
	const keys: string[] = [];
	for (const [sid, folder, words] of [
		[OTHER, other, WORDS],
		[SID, at.project, OWN],
	] as const) {
		const below = join(at.home, ".claude/projects", folder.replace(/\W/g, "-"));
		for (const one of [folder, below]) mkdirSync(one, { recursive: true });
		const transcript = join(below, `${sid}.jsonl`);
		new Transcript(folder).typed(words).usage(20_000).write(transcript);
		const env = { CLAUDE_PROJECT_DIR: folder, CLAUDE_CODE_SESSION_ID: sid };
		const fields = { session_id: sid, transcript_path: transcript, cwd: folder };
		const life = "start startup, stop, pre-compact by hand, start compact";
		await play(at, life, fields, { cwd: folder, env });
		// two saves of one second have one key, each in its session: what names the other's would name this one's
		if (keys.length > 0) await Bun.sleep(1_100);
		keys.push(JSON.parse((await ccg(at, ["checkpoint", "save", "--json"], { cwd: folder, env })).out).key);
		await ccg(at, ["task", "ensure", "--goal", words], { cwd: folder, env });
		await ccg(at, ["memory", "save", words], { cwd: folder, env });
	}
	return { ...at, other, key: keys[0]!, own: keys[1]! };
}
