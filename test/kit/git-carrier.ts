import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Carried, Carrier } from "../../src/sync/carrier.ts";
import { gitCarrier } from "../../src/sync/git.ts";
import { scratch } from "../scratch-home.ts";
import { gitIn } from "./git.ts";

export const SPACE = "5".repeat(32);
export const [ME, OTHER] = ["a".repeat(32), "b".repeat(32)];
export const PROJECT = "c".repeat(32);
export const PATH = process.env.PATH ?? "";

/** A bare repository, a home, and clones that know it. */
export function place(name: string, ...how: string[]) {
	const base = scratch(name);
	const home = join(base, "home");
	const bare = join(base, "far.git");
	mkdirSync(home);
	gitIn(base, home, ["init", "-q", "--bare", ...how, bare]);
	const env = { PATH, HOME: home };
	const open = (clone = "clone", more: object = {}, remote = bare) =>
		gitCarrier(join(base, clone), remote, SPACE, { env, create: true, ...more });
	const inBare = (...words: string[]): string => gitIn(bare, home, words);
	/** A work tree whose branch stands where the remote's does, if it does. */
	const workTree = (): ((...words: string[]) => string) & { at: string } => {
		const at = join(base, `tree-${readdirSync(base).length}`);
		gitIn(base, home, ["init", "-q", "-b", "ccg-sync", ...how, at]);
		const run = (...words: string[]): string => gitIn(at, home, words);
		run("remote", "add", "far", bare);
		if (inBare("branch", "--list", "ccg-sync")) run("pull", "-q", "far", "ccg-sync");
		return Object.assign(run, { at });
	};
	const files = (): string[] => inBare("ls-tree", "-r", "--name-only", "ccg-sync").trim().split("\n");
	return { base, home, bare, env, open, inBare, workTree, files };
}

export const batches = (from: number, to: number, text = "x"): Carried[] =>
	Array.from({ length: to - from + 1 }, (_, i) => ({
		...{ seq: from + i, project: PROJECT },
		bytes: Buffer.from(`${text} ${from + i}`),
	}));
const seqs = (all: readonly Carried[]): number[] => all.map(({ seq }) => seq);

/** Writes, pushes and closes. */
export async function send(opened: Carrier | Promise<Carrier>, machine: string, some: Carried[]): Promise<void> {
	const carrier = await opened;
	await carrier.append(machine, some);
	await carrier.push();
	await carrier.close();
}

export async function read(opened: Promise<Carrier>, machine: string, from = 1): Promise<number[]> {
	const carrier = await opened;
	try {
		return seqs(await carrier.read(machine, from));
	} finally {
		await carrier.close();
	}
}

/** Answers as a server does that keeps a repository for git by HTTP. `password`: who does not say it (as `me`) is refused. */
export async function httpServer(base: string) {
	const asked = { password: "" };
	const server = createServer(async (request, answer) => {
		const { url = "", method = "", headers } = request;
		const body = await Array.fromAsync(request);
		if (asked.password && headers.authorization !== `Basic ${btoa(`me:${asked.password}`)}`)
			return void answer.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
		const [path = "", query = ""] = url.split("?");
		const bytes = Buffer.concat(body as Buffer[]);
		const env = {
			...{ PATH, HOME: base, GIT_PROJECT_ROOT: base, GIT_HTTP_EXPORT_ALL: "1", PATH_INFO: path, QUERY_STRING: query },
			...{ REQUEST_METHOD: method, REMOTE_USER: "me", CONTENT_LENGTH: String(bytes.length) },
			CONTENT_TYPE: headers["content-type"] ?? "",
			HTTP_CONTENT_ENCODING: String(headers["content-encoding"] ?? ""),
			GIT_PROTOCOL: String(headers["git-protocol"] ?? ""),
		};
		const said = spawnSync("git", ["http-backend"], { env, input: bytes, maxBuffer: 1 << 28 }).stdout;
		const end = said.indexOf("\r\n\r\n");
		const lines = said.subarray(0, end).toString().split("\r\n");
		const given = Object.fromEntries(lines.map((line) => line.split(": ") as [string, string]));
		answer.writeHead(Number.parseInt(given.Status ?? "200", 10), given).end(said.subarray(end + 4));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as { port: number };
	return { asked, address: `http://127.0.0.1:${port}/far.git`, close: () => server.close() };
}
