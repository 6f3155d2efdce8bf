/**
 * A mod of Claude Code, tried in 2.1.332: compacts at the end of a turn in which the user (`/ccg-compact`) or the agent (`queue_compaction`)
 * asked for it, or at whose end ccg prints "compact". Claude Code refuses a compaction while a turn runs. What a version lacks is left out.
 */
// biome-ignore lint/suspicious/noExplicitAny: the client's own types come with the client
type Handler = ($: any, event: any, next: (event: any) => Promise<any>) => Promise<any>;

const COMMAND = { name: "ccg-compact", description: "compacts at turn end", argumentHint: "[focus]", immediate: true };
const TOOL = {
	name: "queue_compaction",
	description: "Compacts this conversation at the turn's end. Call it where a piece of work ends, then end the turn.",
	inputSchema: { type: "object", properties: { focus: { type: "string", description: "what to keep" } } },
};
const ASK_CCG = ["/bin/sh", "-c", 'exec "$HOME/.claude-memory/ccg" hook good-moment'];
const onOneLine = (text: string): string => text.replace(/[\s\p{C}]+/gu, " ").trim();

export function register(on: (...given: [string, Handler] | [string, object, Handler]) => void): void {
	/** Of this turn: what the summary must keep, once somebody asked, and what the Stop hooks were given. */
	let turn: { focus?: string; stop?: object; isRunning?: true } = {};

	on("session.start", async ($, event, next) => {
		await Promise.allSettled([(async () => $.command.register(COMMAND))(), (async () => $.tool.register(TOOL))()]);
		return next(event);
	});
	on("command.run", { command: COMMAND.name }, async (_, { args }) => {
		if (!turn.isRunning) return { text: `no turn runs, so type: /compact ${args ?? ""}` };
		turn.focus = onOneLine(`${turn.focus ?? ""} ${args ?? ""}`);
		return { text: "compacts at the end of this turn" };
	});
	on("tool.run", { tool: "mcp__ccg-queue__queue_compaction" }, async (_, { focus, agentId }) => {
		if (agentId || !turn.isRunning) return { result: "Not queued: call it in the main conversation." };
		turn.focus = onOneLine(`${turn.focus ?? ""} ${focus ?? ""}`);
		return { result: "This conversation is compacted at the end of this turn. End the turn now." };
	});
	on("turn.start", async (_, event, next) => {
		if (!event.agentId) turn = { isRunning: true };
		return next(event);
	});
	on("classic.Stop", async (_, event, next) => {
		turn.stop = event;
		return next(event);
	});
	on("turn.complete", async ($, event, next) => {
		if (event.agentId) return next(event);
		const { focus, stop } = turn;
		turn = {};
		const result = await next(event);
		const compact = async (): Promise<void> => {
			if (event.isAborted) throw new Error("the turn was stopped");
			const runs = ({ status }: { status: string }): boolean => ["pending", "running", "waiting"].includes(status);
			if ((await $.agent.list()).some(runs)) throw new Error("a subagent runs");
			const ask = async () => $.process.run(ASK_CCG, { stdin: JSON.stringify(stop), env: await $.process.hookEnv() });
			if (focus !== undefined || (stop && (await ask()).stdout.startsWith("compact")))
				await $.session.compact(focus ? { instructions: focus } : {});
		};
		const tell = ({ message }: Error) => $.ui.log(`not compacted: ${message}; type: /compact ${focus}`);
		void compact().catch((error) => focus !== undefined && tell(error));
		return result;
	});
}
