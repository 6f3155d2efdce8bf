/** Words for a script: what the model answers, and the tools it calls. */
import type { Reply, ScriptedCall } from "./loopback-api.ts";

/** An answer that calls tools, at a context of so many tokens. */
export const does = (tokens: number, ...tools: ScriptedCall[]): Reply => ({ tools, tokens });
/** The same after a while: what an asynchronous hook wrote behind the call before has to be on the disk. */
export const thenDoes = (tokens: number, ...tools: ScriptedCall[]): Reply => ({ tools, tokens, delayMs: 500 });
/** An answer in words, with calls or as the turn's end. */
export const says = (tokens: number, text: string, ...tools: ScriptedCall[]): Reply => ({ text, tools, tokens });

export const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command, description: "a step" } });
export const inBackground = (command: string): ScriptedCall => ({
	name: "Bash",
	input: { command, run_in_background: true },
});
export const read = (file: string): ScriptedCall => ({ name: "Read", input: { file_path: file } });
export const write = (file: string, content: string): ScriptedCall => ({
	name: "Write",
	input: { file_path: file, content },
});
export const edit = (file: string, from: string, to: string): ScriptedCall => ({
	name: "Edit",
	input: { file_path: file, old_string: from, new_string: to },
});
export const task = (subject: string): ScriptedCall => ({
	name: "TaskCreate",
	input: { subject, description: "d", activeForm: "a" },
});
export const update = (taskId: string, status: string): ScriptedCall => ({
	name: "TaskUpdate",
	input: { taskId, status },
});
/** A subagent, which is waited for unless it is said. */
export const agent = (prompt: string, more: object = {}): ScriptedCall => ({
	name: "Agent",
	input: {
		...{ description: "an agent", prompt, subagent_type: "general-purpose", run_in_background: false },
		...more,
	},
});
