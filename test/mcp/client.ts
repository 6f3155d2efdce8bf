/** A client of the MCP server: raw lines over the pipes of a real `ccg mcp`. */
import { onTestFinished } from "vitest";
import { LAUNCHER, type Sandbox } from "../kit/sandbox.ts";

// biome-ignore lint/suspicious/noExplicitAny: whatever a server may answer
type Answer = { id?: number; result?: any; error?: { code: number; message: string } };

export type Client = ReturnType<typeof start>;

const HELLO = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };

/** Starts the server as Claude Code does, and greets it; it ends with the test. */
export async function connect(
	at: Sandbox,
	{ env = {}, cwd = at.project }: { env?: Record<string, string>; cwd?: string } = {},
): Promise<Client> {
	const client = start([LAUNCHER, "mcp"], { cwd, env: { ...at.env, ...env } });
	onTestFinished(async () => void (await client.end()));
	await client.ask("initialize", HELLO);
	client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
	return client;
}

function start(command: string[], { cwd, env }: { cwd: string; env: Record<string, string> }) {
	const child = Bun.spawn(command, { cwd, env, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
	const waiting = new Map<number, (answer: Answer) => void>();
	let out = "";
	let read = 0;
	const done = (async () => {
		const decoder = new TextDecoder();
		for await (const chunk of child.stdout) {
			out += decoder.decode(chunk, { stream: true });
			for (let end = out.indexOf("\n", read); end >= 0; end = out.indexOf("\n", read)) {
				const answer = JSON.parse(out.slice(read, end)) as Answer;
				read = end + 1;
				if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
			}
		}
	})();
	let id = 0;
	const send = (line: string): void => {
		child.stdin.write(`${line}\n`);
		// a server that is gone takes no more
		void Promise.resolve(child.stdin.flush()).catch(() => {});
	};
	/** One request and its answer. */
	const ask = async (method: string, params: object = {}): Promise<Answer> => {
		id++;
		const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
		send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
		return Promise.race([answer, gone(done, `${method}: the server ended without an answer`)]);
	};
	return {
		ask,
		/** A tool's answer, and whether it is a failure. */
		async call(name: string, given: object = {}): Promise<{ text: string; isError: boolean }> {
			const { result, error } = await ask("tools/call", { name, arguments: given });
			if (!result) throw new Error(`no result: ${JSON.stringify(error)}`);
			return { text: result.content[0].text, isError: result.isError === true };
		},
		/** A line as it is. */
		send,
		/** All that came on stdout so far. */
		out: () => out,
		err: () => new Response(child.stderr).text(),
		/** Closes stdin. Gives the exit code. */
		async end(): Promise<number> {
			await child.stdin.end();
			return child.exited;
		},
		exited: child.exited,
	};
}

async function gone(done: Promise<void>, message: string): Promise<never> {
	await done;
	// an answer that came with the last bytes is there first
	await Bun.sleep(10);
	throw new Error(message);
}
