import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Reply, ScriptedCall } from "../../test/e2e/loopback-api.ts";

/** One session as it is driven: what lies in the project, then the user's turns, each with the agent's answers. */
export interface Script {
	/** Of the project, by path; and programs beside it, by name. */
	files: Record<string, string>;
	programs: Record<string, string>;
	/** Shell commands that prepare the project. */
	setup: string;
	turns: { prompt: string; replies: Reply[] }[];
}

interface Step {
	kind: string;
	argument: string;
	body: string;
}

const STEP = /^@(file|program|setup|user|say|bash|background|read|write|edit)\b *(.*)$/;

/**
 * Reads a script: steps of the form `@kind argument`, the lines below are their body.
 * What is said stands before the call that it comes with, or ends the turn.
 */
export function readScript(path: string, project: string): Script {
	const script: Script = { files: {}, programs: {}, setup: "", turns: [] };
	let said: string | null = null;
	const reply = (tools?: ScriptedCall[]): void => {
		const turn = script.turns.at(-1);
		if (turn && !tools && !said) throw new Error(`${path}: nothing is said at the end of: ${turn.prompt}`);
		turn?.replies.push({ ...(said && { text: said }), ...(tools && { tools }) });
		said = null;
	};
	for (const step of stepsOf(readFileSync(path, "utf8"))) {
		const { kind, argument, body } = step;
		if (kind === "file") script.files[argument] = body;
		else if (kind === "program") script.programs[argument] = body;
		else if (kind === "setup") script.setup += body;
		else if (kind === "say") said = body.trim();
		else if (kind === "user") {
			reply();
			script.turns.push({ prompt: body.trim(), replies: [] });
		} else reply([call(step, project)]);
	}
	reply();
	return script;
}

function stepsOf(text: string): Step[] {
	const steps: (Omit<Step, "body"> & { lines: string[] })[] = [];
	for (const line of text.split("\n")) {
		const [, kind, argument] = STEP.exec(line) ?? [];
		if (kind) steps.push({ kind, argument: argument!, lines: [] });
		else steps.at(-1)?.lines.push(line);
	}
	return steps.map(({ lines, ...step }) => ({ ...step, body: `${lines.join("\n").trimEnd()}\n` }));
}

function call({ kind, argument, body }: Step, project: string): ScriptedCall {
	const file_path = join(project, argument);
	if (kind === "read") return { name: "Read", input: { file_path } };
	if (kind === "write") return { name: "Write", input: { file_path, content: body } };
	if (kind === "edit") {
		const [old_string, new_string] = body.trimEnd().split("\n=====\n");
		return { name: "Edit", input: { file_path, old_string, new_string } };
	}
	const input = { command: body.trim(), description: argument };
	return { name: "Bash", input: kind === "background" ? { ...input, run_in_background: true } : input };
}
