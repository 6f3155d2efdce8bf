import { recoveryBlock } from "../../../src/core/block/recovery-block.ts";
import type { Checkpoint } from "../../../src/core/checkpoint/checkpoint.ts";
import type { SessionState } from "../../../src/core/state/session-state.ts";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { written } from "../../kit/corpus.ts";
import { at, call, message, stateOf } from "../../kit/session-events.ts";

/** One of these. */
export interface Turn {
	user?: string;
	said?: string;
	shell?: string;
	bash?: [command: string, output: string, failed?: boolean, detail?: unknown];
	edit?: string;
	failed?: true;
	cutOff?: string;
	refused?: [command: string, words: string];
	answered?: [question: string, answer: string];
	approved?: string;
}

const NO = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n";

/** A state after these turns, in /p. */
export function session(...turns: Turn[]): SessionState {
	const events = turns.flatMap((turn): TranscriptEvent[] => {
		const { user, said, shell, bash, edit, failed, cutOff, refused, answered, approved } = turn;
		if (user) return [message(user)];
		if (said) return [{ kind: "said", at, text: said }];
		if (shell) return [message(shell, "command")];
		if (bash) return call("Bash", { command: bash[0] }, ...(bash.slice(1) as [string]));
		if (edit) return call("Edit", { file_path: edit, old_string: "a", new_string: "b" }, "updated", failed);
		if (refused) return call("Bash", { command: refused[0] }, NO + refused[1], true, "User rejected tool use");
		if (approved) return call("ExitPlanMode", { plan: approved }, "User has approved your plan.");
		if (answered) {
			const answers = { [answered[0]]: answered[1] };
			return call("AskUserQuestion", { questions: [{ question: answered[0] }] }, "x", false, { answers });
		}
		return call("Bash", { command: cutOff }).slice(0, 1);
	});
	return stateOf({ kind: "place", cwd: "/p", branch: "main", version: "2.1.330" }, events);
}

/** The turns of a line, as `views.txt` writes them. */
export const turnsIn = (script: string): Turn[] =>
	script.split(" >> ").map((step): Turn => {
		const [, sign = "", told = ""] = /^(\S+) (.*)$/s.exec(step) ?? [];
		const text = written(told);
		const [command = "", output = ""] = text.split(" => ");
		if (sign === "U") return { user: text };
		if (sign === "A") return { said: text };
		if (sign === "!") return { shell: `! ${text}` };
		if (sign === "$?") return { cutOff: text };
		if (sign === "E") return { edit: text };
		if (sign === "E!") return { edit: text, failed: true };
		if (sign === "P") return { approved: text };
		if (sign === "R") return { refused: [command, output] };
		if (sign === "Q") return { answered: [command, output] };
		return { bash: [command, output, sign === "$!"] };
	});

/** When the block is made: three hours later. */
const now = "2026-11-21T05:00:00.000Z";

export const input = (state: SessionState, maxChars = 9_500) => ({
	...{ state, workspace: null, key: "k", at: now, path: "/s/c.md", base: "/p", maxChars },
});
export const block = (state: SessionState, maxChars?: number): string => recoveryBlock(input(state, maxChars)).text;

/** A checkpoint of a state, with all that a workspace may tell. */
export const checkpoint = (state: SessionState, more: Partial<Checkpoint> = {}): Checkpoint => ({
	version: 1,
	key: "manual_checkpoint_20261121_020000",
	at,
	session: "0c0ffee0-0000-4000-8000-000000000000",
	trigger: "auto",
	projectDir: "/p",
	transcriptPath: "/t.jsonl",
	state,
	workspace: {
		branch: "cart",
		commits: ["abc1234 Begin"],
		planSummary: "goal: parse; current step: 2. [in progress] tests",
		lastFailure: "2026-11-20 build broke",
		selfModelAge: "3 h ago",
		envModelAge: null,
		task: {
			goal: "Build the cart",
			nextAction: "round the sums",
			blockers: ["no currency table"],
			decisions: [{ decision: "cents as integers", reason: "floats drift", at }],
		},
	},
	...more,
});
