/**
 * What ccg adds to a session of the real Claude Code, by the way it is called: not at all, by hooks. All in one run, A B C, C B A …, as medians and, since no machine is quiet, as the best of all rounds.
 *
 *   CCG_TEST_CLAUDE=PATH unshare -n sh -c 'ip link set lo up; sh scripts/bun bench/ways.ts [--rounds 5] [--calls 40]'
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeSandbox } from "../src/doctor/sandbox.ts";
import { type Reply, startApi } from "../test/e2e/loopback-api.ts";

const ROOT = resolve(import.meta.dir, "..");
const CLAUDE = process.env.CCG_TEST_CLAUDE;
if (!CLAUDE) throw new Error("bench/ways.ts: CCG_TEST_CLAUDE names no Claude Code");
const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "5" },
		calls: { type: "string", default: "40" },
	},
});
/** A session that is ill ends here. */
const LIMIT_MS = 120_000;
const rounds = Number(values.rounds);
const calls = Number(values.calls);

interface Way {
	name: string;
	hooks?: boolean;
}
const WAYS: Way[] = [{ name: "nothing" }, { name: "hooks", hooks: true }];

/** Milliseconds, and megabytes at the most. */
interface Measured {
	"first request": number;
	"each call": number;
	"before the summary": number;
	"behind the summary": number;
	"end of the turn": number;
	"Claude Code, MB": number;
	"its children, MB": number;
	blocks: number;
}

const results = new Map<string, Measured[]>(WAYS.map(({ name }) => [name, []]));
for (let round = -1; round < rounds; round++)
	for (const way of round % 2 === 0 ? WAYS : WAYS.toReversed()) {
		const measured = await play(way);
		// the first round warms up
		if (round >= 0) results.get(way.name)!.push(measured);
	}
print();

async function play(way: Way): Promise<Measured> {
	const root = mkdtempSync(join(tmpdir(), "ccg-ways-"));
	const arrivals: { at: number; kind: string }[] = [];
	const read = (tokens: number): Reply => ({
		tools: [{ name: "Read", input: { file_path: join(root, "project", "file.txt") } }],
		tokens,
	});
	const script = [
		...Array.from({ length: calls }, () => read(20_000)),
		read(70_000),
		read(9_000),
		{ text: "done", tokens: 9_000 },
	];
	let n = 0;
	let blocks = 0;
	const api = startApi((request) => {
		arrivals.push({ at: performance.now(), kind: request.kind });
		if (request.kind === "summary") return { text: "<summary>The user wants a parser.</summary>", tokens: 5_000 };
		blocks = request.all.includes("ccg recovery precompact_checkpoint_") ? 1 : 0;
		return script[Math.min(n++, script.length - 1)]!;
	});
	try {
		const { project, home, env } = sandbox(root, api.url);
		writeFileSync(join(project, "file.txt"), "one\n");
		prepare(way, { home, env });
		const began = performance.now();
		const command = [CLAUDE!, "-p", "Build a parser. Never touch secret.txt.", "--dangerously-skip-permissions"];
		const child = Bun.spawn(command, {
			cwd: project,
			env,
			stdin: "ignore",
			stdout: "pipe",
			stderr: "pipe",
			timeout: LIMIT_MS,
		});
		const memory = watchMemory(child.pid);
		await child.exited;
		const ended = performance.now();
		memory.stop();
		const gaps = arrivals.slice(1).map(({ at }, i) => at - arrivals[i]!.at);
		const summary = arrivals.findIndex(({ kind }) => kind === "summary");
		return {
			"first request": (arrivals[0]?.at ?? ended) - began,
			"each call": median(gaps.slice(2, calls - 1)),
			"before the summary": gaps[summary - 1] ?? Number.NaN,
			"behind the summary": gaps[summary] ?? Number.NaN,
			"end of the turn": ended - (arrivals.at(-1)?.at ?? began),
			"Claude Code, MB": memory.own(),
			"its children, MB": memory.children(),
			blocks,
		};
	} finally {
		await api.close();
		await Bun.sleep(200);
		rmSync(root, { recursive: true, force: true, maxRetries: 3 });
	}
}

function sandbox(root: string, url: string) {
	const { project, home, machineEnv } = makeSandbox(root, {
		machine: {
			PATH: `${dirname(CLAUDE!)}:/usr/bin:/bin`,
			LANG: "C.UTF-8",
			SHELL: "/bin/sh",
			ANTHROPIC_BASE_URL: url,
			ANTHROPIC_API_KEY: "sk-ant-dummy-000",
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
			DISABLE_AUTOUPDATER: "1",
			IS_SANDBOX: "1",
			CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000",
		},
	});
	mkdirSync(join(home, ".claude"));
	return { project, home, env: machineEnv };
}

function prepare({ hooks }: Way, { home, env }: { home: string; env: Record<string, string> }): void {
	if (hooks) run([join(ROOT, "bin", "ccg"), "install", "--yes"], { HOME: home, PATH: env.PATH! });
}

function run(command: string[], env: Record<string, string>): void {
	const { exitCode, stderr } = Bun.spawnSync(command, { env, stdout: "ignore", stderr: "pipe" });
	if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
}

/** Resident memory at its largest, of a process and of all others it started together. */
function watchMemory(pid: number) {
	let own = 0;
	let children = 0;
	const timer = setInterval(() => {
		own = Math.max(own, residentKb(pid));
		children = Math.max(
			children,
			childrenOf(pid).reduce((sum, child) => sum + residentKb(child), 0),
		);
	}, 20);
	return { stop: () => clearInterval(timer), own: () => own / 1024, children: () => children / 1024 };
}

function residentKb(pid: number): number {
	try {
		return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
	} catch {
		return 0;
	}
}

function childrenOf(pid: number): number[] {
	try {
		return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
			readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
		);
	} catch {
		return [];
	}
}

function median(numbers: number[]): number {
	const sorted = numbers.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function print(): void {
	const names = Object.keys(results.get("nothing")![0]!) as (keyof Measured)[];
	const row = (head: string, cells: string[]) =>
		console.log([head.padEnd(16), ...cells.map((one) => one.padStart(20))].join(""));
	row("", names);
	for (const [way, all] of results)
		row(
			way,
			names.map((name) => {
				const seen = all.map((one) => one[name]);
				return `${Math.round(median(seen))} (${Math.round(Math.min(...seen))})`;
			}),
		);
}
