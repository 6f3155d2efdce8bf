/** Words for a script: what the model answers, and the tools it calls. Sessions of several prompts stand as JSON beside their tests. */
import type { Reply, ScriptedCall } from "./loopback-api.ts";

/** An answer that calls tools, at a context of so many tokens. */
export const does = (tokens: number, ...tools: ScriptedCall[]): Reply => ({ tools, tokens });
/** The same after a while: what an asynchronous hook wrote behind the call before has to be on the disk. */
export const thenDoes = (tokens: number, ...tools: ScriptedCall[]): Reply => ({ tools, tokens, delayMs: 500 });
/** An answer in words, with calls or as the turn's end. */
export const says = (tokens: number, text: string, ...tools: ScriptedCall[]): Reply => ({ text, tools, tokens });

const called = (name: string, input: Record<string, unknown>): ScriptedCall => ({ name, input });
export const bash = (command: string) => called("Bash", { command, description: "a step" });
export const read = (file_path: string) => called("Read", { file_path });
export const write = (file_path: string, content: string) => called("Write", { file_path, content });
export const edit = (file_path: string, old_string: string, new_string: string) =>
	called("Edit", { file_path, old_string, new_string });
/** A subagent, which is waited for unless it is said. */
export const agent = (prompt: string, more: object = {}) =>
	called("Agent", {
		...{ description: "an agent", prompt, subagent_type: "general-purpose", run_in_background: false },
		...more,
	});

const CALLS = {
	...{ bash, read, write, agent },
	inBackground: (command: string) => called("Bash", { command, run_in_background: true }),
	task: (subject: string) => called("TaskCreate", { subject, description: "d", activeForm: "a" }),
	update: (taskId: string, status: string) => called("TaskUpdate", { taskId, status }),
};

/** A prompt and its answers. A tool is a word of those above with what it is given, or a tool's own name with its input. */
export type Turn = [prompt: string, replies: (Omit<Reply, "tools"> & { tools?: unknown[][] })[]];

/** Turns as a script plays them, with what stands in them for `{{NAME}}`. */
export function turnsOf(turns: unknown, names: (name: string) => string): { prompt: string; replies: Reply[] }[] {
	const filled = JSON.stringify(turns).replace(/\{\{(.+?)\}\}/g, (_, name) => JSON.stringify(names(name)).slice(1, -1));
	return (JSON.parse(filled) as Turn[]).map(([prompt, replies]) => ({
		prompt,
		replies: replies.map(({ tools = [], ...reply }) => ({ ...reply, tools: tools.map(toolOf) })),
	}));
}

function toolOf([name, ...given]: unknown[]): ScriptedCall {
	const call = CALLS[name as keyof typeof CALLS] as ((...given: unknown[]) => ScriptedCall) | undefined;
	return call ? call(...given) : called(name as string, given[0] as Record<string, unknown>);
}
