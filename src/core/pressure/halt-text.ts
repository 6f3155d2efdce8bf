import { nameInBackticks } from "../text/quoted.ts";
import { withThousands } from "../text/text.ts";
import type { TaskPressure } from "./pressure.ts";

/** The facts that the texts of a stop name. */
interface HaltFacts {
	tokens: number;
	/** Tokens at which compaction triggers, or the window where nothing compacts by itself. */
	limit: number;
	/** From which share the pressure is critical. */
	critical: number;
	/** `ccg task checkpoint`, `… resume` and `… status` as they can be typed into a shell. */
	checkpointCommand: string;
	resumeCommand: string;
	/** `null` where the session has begun no task. */
	statusCommand: string | null;
}

/** The meaning of a stop, in the same words in every text: the rule, then what the halt gate does about it in this mode. */
export function haltRule(mode: string): string {
	const effect =
		mode === "enforce"
			? "each checkpoint of the task lets one change through: the work can go on in small steps, or be handed over"
			: "nothing is held back";
	return `Autonomous work should end here, unless a person said otherwise. With guard.mode "${mode}" ${effect}.`;
}

/** The reason, in words, why a task command answers that work should stop; `criticalShare`: from which share the pressure is critical. */
export function haltReason({ source }: Pick<TaskPressure, "source">, criticalShare: number, mode: string): string {
	const why =
		source === "missing"
			? "the session's context was never measured, which counts as critical after a task's first turn; `ccg doctor` says whether the hooks are registered, `--pressure` gives what a host knows"
			: `the pressure is critical (from ${criticalShare})`;
	return `${why}. ${haltRule(mode)}`;
}

/** The beginning of every refusal, also of an earlier ccg's in the transcript: so it is known to be no failure of the tool. */
export const REFUSAL = "STATUS:HALT_CONTEXT_LIMIT\nccg ";

/** The text that the model gets in place of a tool's result: the status line first, then the facts and the ways out. */
export function denialText(tool: string, facts: HaltFacts): string {
	return (
		`${REFUSAL}halt gate: ${usageText(facts)}, and no task checkpoint was written since the last change, so ${nameInBackticks(tool)} was not run. ` +
		`Until one is written only tools that read (not the shell), notes and ccg's own commands, each alone and in plain words, run.\n${haltRule("enforce")}\n` +
		`A checkpoint is saved with\n  ${facts.checkpointCommand} --did "WHAT WAS DONE" --next "NEXT STEP"\n` +
		`The user lifts the stop with\n  ${facts.resumeCommand}\nin a terminal of their own.`
	);
}

/** The line that the user gets once per cycle at critical pressure: what it means for the work. With "warn" only where there is a task. */
export function warningText(mode: "warn" | "enforce", facts: HaltFacts): string {
	const { tokens, limit, resumeCommand, statusCommand } = facts;
	const usage = `ccg: the context is nearly full (${withThousands(tokens)} of ${withThousands(limit)} tokens).`;
	if (mode === "enforce")
		return `${usage} Claude can read on with its reading tools, but before each change and each shell command it has to save where the task stands. To let it work on without that: ${resumeCommand}`;
	return `${usage} Claude works on as before; after the compaction the task goes on from what is saved of it: ${statusCommand}`;
}

/** How full the context is, in words, for the refusal. */
const usageText = ({ tokens, limit, critical }: HaltFacts): string =>
	`the context holds ${withThousands(tokens)} of ${withThousands(limit)} tokens (${Math.floor((tokens / limit) * 100)}%, critical from ${Math.round(critical * 100)}%)`;
