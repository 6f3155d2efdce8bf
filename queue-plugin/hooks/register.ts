/**
 * A mod of Claude Code, tried in 2.1.332: compacts at the end of the turn in which the user (`/ccg-compact`) or the agent
 * (`queue_compaction`) asks for it. Claude Code refuses a compaction while a turn runs. The mod knows nothing else of ccg; its hooks do their part.
 */
// biome-ignore lint/suspicious/noExplicitAny: the client's own types come with the client
type Any = any;
type Handler = ($: Any, event: Any, next: (event: Any) => Promise<Any>) => Promise<Any>;

const about = "compacts this conversation at the end of this turn";
const COMMAND = { name: "ccg-compact", description: about, argumentHint: "[focus]", immediate: true };
const TOOL = {
	name: "queue_compaction",
	description: `${about}. Call it in the main conversation where a piece of work ends, then end the turn.`,
	inputSchema: { type: "object", properties: { focus: { type: "string", description: "what to keep" } } },
};

export function register(on: (...given: [string, Handler] | [string, object, Handler]) => void): void {
	/** What the summary must keep, once somebody asked in this turn. */
	let asked: string | undefined;
	let isRunning = false;
	const agentTurns = new Set<string>();

	on("session.start", async ($, event, next) => {
		// what a version lacks is not there, the rest is
		await (async () => $.command.register(COMMAND))().catch(() => {});
		await (async () => $.tool.register(TOOL))().catch(() => {});
		return next(event);
	});
	on("command.run", { command: "ccg-compact" }, async (_, { args }) => {
		if (!isRunning) return { text: `no turn runs, so type: /compact ${args ?? ""}` };
		asked = String(args ?? "");
		return { text: "compacts at the end of this turn" };
	});
	on("tool.run", { tool: "mcp__ccg-queue__queue_compaction" }, async (_, { focus }) => {
		asked = String(focus ?? "");
		return { result: "This conversation is compacted at the end of this turn. End the turn now." };
	});
	on("turn.start", async (_, event, next) => {
		if (event.agentId) agentTurns.add(event.turnId);
		else isRunning = true;
		return next(event);
	});
	on("turn.complete", async ($, event, next) => {
		const result = await next(event);
		if (event.agentId) {
			agentTurns.delete(event.turnId);
			return result;
		}
		const focus = asked;
		[asked, isRunning] = [undefined, false];
		if (focus === undefined) return result;
		const tell = (reason: string): void => $.ui.log(`not compacted: ${reason}; type: /compact ${focus}`);
		if (event.isAborted) tell("the turn was stopped");
		else if (agentTurns.size > 0) tell("a subagent runs");
		else void $.session.compact(focus ? { instructions: focus } : {}).catch((error: Error) => tell(error.message));
		return result;
	});
}
