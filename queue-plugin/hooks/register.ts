/**
 * A mod of Claude Code, tried in 2.1.332: compacts at the end of a turn in which the user (`/ccg-compact`) or the agent (`queue_compaction`)
 * asked for it, or at whose end ccg prints "compact". Claude Code refuses a compaction while a turn runs. What a version lacks is left out.
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
const ASK_CCG = ["sh", "-c", 'exec "$HOME/.claude-memory/ccg" hook good-moment'];

export function register(on: (...given: [string, Handler] | [string, object, Handler]) => void): void {
	/** Of this turn: what the summary must keep, once somebody asked, and what the Stop hooks were given. */
	let turn: { focus?: string; stop?: object; isRunning?: true } = {};

	on("session.start", async ($, event, next) => {
		await Promise.allSettled([(async () => $.command.register(COMMAND))(), (async () => $.tool.register(TOOL))()]);
		return next(event);
	});
	on("command.run", { command: "ccg-compact" }, async (_, { args }) => {
		if (!turn.isRunning) return { text: `no turn runs, so type: /compact ${args ?? ""}` };
		turn.focus = String(args ?? "");
		return { text: "compacts at the end of this turn" };
	});
	on("tool.run", { tool: "mcp__ccg-queue__queue_compaction" }, async (_, { focus }) => {
		turn.focus = String(focus ?? "");
		return { result: "This conversation is compacted at the end of this turn. End the turn now." };
	});
	on("turn.start", async (_, event, next) => {
		if (!event.agentId) turn.isRunning = true;
		return next(event);
	});
	on("classic.Stop", async (_, event, next) => {
		turn.stop = event;
		return next(event);
	});
	on("turn.complete", async ($, event, next) => {
		const result = await next(event);
		if (event.agentId) return result;
		const { focus, stop } = turn;
		turn = {};
		const compact = async (): Promise<void> => {
			if (event.isAborted) throw new Error("the turn was stopped");
			const runs = ({ status }: Any): boolean => ["pending", "running", "waiting"].includes(status);
			if ((await $.agent.list()).some(runs)) throw new Error("a subagent runs");
			const ask = async () => $.process.run(ASK_CCG, { stdin: JSON.stringify(stop), env: await $.process.hookEnv() });
			if (focus !== undefined || (await ask()).stdout.startsWith("compact"))
				await $.session.compact(focus ? { instructions: focus } : {});
		};
		const tell = ({ message }: Error) => $.ui.log(`not compacted: ${message}; type: /compact ${focus}`);
		void compact().catch((error) => focus !== undefined && tell(error));
		return result;
	});
}
