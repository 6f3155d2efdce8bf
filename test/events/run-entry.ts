import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const REPO = resolve(import.meta.dirname, "../..");
export const LAUNCHER = join(REPO, "bin", "ccg");

export interface Run {
	code: number | null;
	out: string;
	err: string;
}

/** Starts a launcher as Claude Code would, with nothing of this process's environment. */
export async function run(
	command: string[],
	{ input = "", ...options }: { env: Record<string, string>; cwd: string; input?: string | Uint8Array | object },
): Promise<Run> {
	const bytes =
		input instanceof Uint8Array ? input : Buffer.from(typeof input === "string" ? input : JSON.stringify(input));
	const child = Bun.spawn(command, {
		cwd: options.cwd,
		env: { PATH: "/usr/bin:/bin", ...options.env },
		stdin: bytes,
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, err, code] = await Promise.all([
		new Response(child.stdout).text(),
		new Response(child.stderr).text(),
		child.exited,
	]);
	return { code, out, err };
}

/** Runs the jobs a few at a time: the machine has two cores. */
export async function inBatches<T>(jobs: (() => Promise<T>)[], size = 6): Promise<T[]> {
	const results: T[] = [];
	for (let i = 0; i < jobs.length; i += size)
		results.push(...(await Promise.all(jobs.slice(i, i + size).map((job) => job()))));
	return results;
}

/** Every path below `folder` but what lies in `except`, sorted. */
export function listing(folder: string, except: string): string[] {
	const paths: string[] = [];
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name);
		if (path === except) continue;
		paths.push(path);
		if (entry.isDirectory()) paths.push(...listing(path, except));
	}
	return paths.sort();
}

/** The lines of a text file; none when it is missing. */
export function linesOf(path: string): string[] {
	try {
		return readFileSync(path, "utf8").split("\n").filter(Boolean);
	} catch {
		return [];
	}
}
