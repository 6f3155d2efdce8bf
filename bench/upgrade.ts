/**
 * What `npm ci` does to running sessions: in a copy of the checkout the status line and a hook are called all the time, as
 * Claude Code would, while `npm ci` takes away node_modules and brings it again.
 *
 *   npm run bench:upgrade
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runProcess } from "../src/install/run-process.ts";
import { printedBy, startBeside } from "../test/kit/process.ts";

const REPO = resolve(import.meta.dirname, "..");
const LEFT_OUT = /^(\.git|\.cache|node_modules|dist)$/;
const STATUS = {
	session_id: "s-1",
	model: { id: "claude-opus-5-5", display_name: "Opus" },
	context_window: { context_window_size: 200_000, current_usage: { input_tokens: 50_000 } },
};
const CI = ["npm", "ci", "--no-audit", "--no-fund"];
const HOOK = { session_id: "s-1", hook_event_name: "SessionStart", source: "startup" };

interface Call {
	what: string;
	out: string;
	err: string;
	code: number | null;
	ms: number;
}

const top = mkdtempSync(join(tmpdir(), "ccg-upgrade-"));
try {
	const copy = join(top, "copy");
	cpSync(REPO, copy, { recursive: true, filter: (path) => !LEFT_OUT.test(path.slice(REPO.length + 1)) });
	printedBy(CI, { cwd: copy });
	console.log(table("nothing else going on", await callsDuring(copy, Bun.sleep(3_000))));
	const ci = startBeside(CI, { cwd: copy });
	const start = performance.now();
	const calls = await callsDuring(copy, ci);
	console.log(table(`npm ci (${Math.round((performance.now() - start) / 100) / 10} s)`, calls));
	const build = startBeside(["sh", "-c", "for i in 1 2 3 4 5; do sh scripts/build; done"], { cwd: copy });
	console.log(table("npm run build, five times", await callsDuring(copy, build, 0)));
} finally {
	rmSync(top, { recursive: true, force: true });
}

async function callsDuring(copy: string, until: PromiseLike<unknown>, pauseMs = 100): Promise<Call[]> {
	const calls: Call[] = [];
	let isOver = false;
	void until.then(() => {
		isOver = true;
	});
	while (!isOver) {
		calls.push(await call(copy, "status line", ["statusline"], STATUS));
		calls.push(await call(copy, "hook", ["hook", "session-start"], HOOK));
		await Bun.sleep(pauseMs);
	}
	return calls;
}

async function call(copy: string, what: string, args: string[], input: object): Promise<Call> {
	const home = join(top, "home");
	mkdirSync(home, { recursive: true });
	const env = { HOME: home, PATH: "/usr/bin:/bin" };
	const ran = await runProcess([join(copy, "bin", "ccg"), ...args], { cwd: home, env, input: JSON.stringify(input) });
	return { what, ...ran };
}

function table(title: string, calls: Call[]): string {
	const rows = ["status line", "hook"].map((what) => {
		const of = calls.filter((one) => one.what === what);
		const count = (is: (one: Call) => boolean): number => of.filter(is).length;
		return [
			`${what}: ${of.length} calls`,
			what === "hook" ? "" : `${count(({ out }) => !out.trim())} blank`,
			`${count(({ code }) => code !== 0)} ended not 0`,
			`${count(({ err }) => err !== "")} wrote to stderr`,
			`longest ${Math.round(Math.max(...of.map(({ ms }) => ms)))} ms`,
		]
			.filter(Boolean)
			.join(", ");
	});
	return [title, ...rows].join("\n  ");
}
