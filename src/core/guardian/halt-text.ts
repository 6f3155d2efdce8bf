import { grouped } from "../text.ts";

/** What the stop can name. */
export interface HaltFacts {
	tokens: number;
	/** Tokens at which compaction strikes, or the window where nothing compacts by itself. */
	limit: number;
	/** From which share the pressure is critical. */
	critical: number;
	/** `ccg task checkpoint` and `ccg task resume` as they can be typed into a shell. */
	checkpointCommand: string;
	resumeCommand: string;
}

/** For the model, in place of the tool's result: the status line first (seed 2, halt rule), then the facts and the ways out. */
export function denialText(tool: string, facts: HaltFacts): string {
	return (
		`STATUS:HALT_CONTEXT_LIMIT\nccg guard: ${use(facts)}, and no task checkpoint was written since the last change, so ${tool} was not run. ` +
		"Reading, ccg's own commands and memory notes work as before.\n" +
		`To go on, the task's state is saved with\n  ${facts.checkpointCommand} --did "WHAT WAS DONE" --next "NEXT STEP"\n` +
		"which lets the next changing action through; each one after it needs a checkpoint of its own. The user lifts the stop with\n" +
		`  ${facts.resumeCommand}\nin a terminal of their own. Source: guard.mode "enforce" in ccg's configuration.`
	);
}

/** For the user, once per cycle. */
export function warningText(mode: "warn" | "enforce", facts: HaltFacts): string {
	const first = `ccg guard: ${use(facts)}.`;
	return mode === "warn"
		? `${first} Nothing is held back (guard.mode is "warn"). A checkpoint of the task: ${facts.checkpointCommand}`
		: `${first} Changes wait for a task checkpoint now. To lift the stop yourself: ${facts.resumeCommand}`;
}

const use = ({ tokens, limit, critical }: HaltFacts): string =>
	`the context holds ${grouped(tokens)} of ${grouped(limit)} tokens (${Math.floor((tokens / limit) * 100)}%, critical from ${Math.round(critical * 100)}%)`;
