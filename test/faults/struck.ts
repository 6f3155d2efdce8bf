import { LAUNCHER } from "../kit/sandbox.ts";

interface Struck {
	cwd: string;
	env: Record<string, string | undefined>;
	input?: string;
	/** With all that it started. */
	isGroup?: boolean;
}

/** Runs `ccg` and kills it after so many ms. Gives what it said, and whether it was killed. */
export async function struck(args: string[], afterMs: number, { cwd, env, input = "", isGroup = false }: Struck) {
	const options = { stdin: Buffer.from(input), stdout: "pipe", stderr: "ignore", detached: isGroup } as const;
	const child = Bun.spawn([LAUNCHER, ...args], { cwd, env, ...options });
	const timer = setTimeout(() => process.kill(isGroup ? -child.pid : child.pid, "SIGKILL"), afterMs);
	const out = await new Response(child.stdout).text();
	await child.exited;
	clearTimeout(timer);
	return { out, isKilled: child.signalCode !== null };
}
