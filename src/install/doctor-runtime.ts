import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readText } from "../store/json-file.ts";
import type { Env } from "../store/paths.ts";
import { HOOK_PARTS } from "./catalog.ts";
import type { Check } from "./doctor-check.ts";
import { realLauncher } from "./doctor-entries.ts";
import { runProcess } from "./doctor-shell.ts";
import { unquoted } from "./shell-word.ts";

const TIME_LIMIT_MS = 10_000;

/** Whether a launcher is there and may be run. */
export function isUsable(launcher: string): boolean {
	try {
		accessSync(launcher, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/** One launcher: it is there, finds Bun, starts ccg, and runs bundles. */
export async function checkLauncher(launcher: string, env: Env): Promise<Check[]> {
	if (!isUsable(launcher)) {
		const why = existsSync(launcher) ? "is not executable" : "is gone";
		return [
			{
				id: "runtime.launcher",
				status: "fail",
				title: "launcher",
				detail: `the launcher ${launcher} ${why}; hooks that name it end in silence`,
				fix: "run `ccg install` again",
			},
		];
	}
	const { version, bun, problem } = await probe(launcher, env);
	const found: Check = { id: "runtime.launcher", status: "ok", title: "launcher", detail: launcher };
	if (problem) {
		const fix = `run \`npm install\` in ${rootOf(launcher)}, or put bun on PATH`;
		return [found, { id: "runtime.bun", status: "fail", title: "Bun", detail: `${launcher}: ${problem}`, fix }];
	}
	found.detail = `${launcher} (ccg ${version})`;
	return [found, ...(bun ? [await checkBun(bun, env)] : []), ...checkBundles(launcher)];
}

/** Traced by the shell, so that the launcher's own search answers which Bun it is, and no copy of it. */
async function probe(launcher: string, env: Env): Promise<{ version: string; bun: string | null; problem?: string }> {
	const isShell = /^#!\/bin\/sh\b/.test(readText(launcher) ?? "");
	const { exit, stdout, stderr, timedOut } = await runProcess(
		isShell ? ["/bin/sh", "-x", launcher, "--version"] : [launcher, "--version"],
		{ cwd: "/", env: { ...env, PS4: "+ " }, timeLimitMs: TIME_LIMIT_MS },
	);
	const bun = /^\+ exec (.+?) --config=\/dev\/null /m.exec(stderr)?.[1];
	const version = stdout.trim().split("\n").at(-1) ?? "";
	const said = stderr.split("\n").filter((line) => line.trim() && !line.startsWith("+ "));
	const result = { version, bun: bun ? resolve("/", unquoted(bun)) : null };
	if (timedOut) return { ...result, problem: `\`--version\` did not end within ${TIME_LIMIT_MS / 1000} s` };
	if (exit !== 0) return { ...result, problem: said.at(-1) ?? `\`--version\` ended with exit code ${exit}` };
	return result;
}

async function checkBun(bun: string, env: Env): Promise<Check> {
	const { exit, stdout, stderr } = await runProcess([bun, "--version"], { cwd: "/", env, timeLimitMs: TIME_LIMIT_MS });
	const check = { id: "runtime.bun", title: "Bun" };
	if (exit !== 0) return { ...check, status: "fail", detail: `${bun} does not run: ${stderr.trim()}` };
	const detail = `${stdout.trim()} (${bun})`;
	if (bun.includes("/node_modules/")) return { ...check, status: "ok", detail };
	return {
		...check,
		status: "info",
		detail: `${detail}, found through PATH: a Claude Code started elsewhere may have another PATH`,
		fix: "run `npm install` in ccg's folder, then it brings its own",
	};
}

const ENTRIES = [...HOOK_PARTS].map((part) => `hooks/${part}`).concat("statusline/statusline", "src/cli/main");

function checkBundles(launcher: string): Check[] {
	const check = { id: "runtime.bundles", title: "bundles" };
	const root = rootOf(launcher);
	const missing = ENTRIES.filter((entry) => !existsSync(join(root, "dist", `${entry}.js`)));
	if (missing.length === 0) return [{ ...check, status: "ok", detail: join(root, "dist") }];
	const lost = missing.filter((entry) => !existsSync(join(root, `${entry}.ts`)));
	if (lost.length > 0)
		return [
			{
				...check,
				status: "fail",
				detail: `neither bundle nor source in ${root}: ${lost.join(", ")}`,
				fix: "install ccg again",
			},
		];
	if (missing.length === ENTRIES.length)
		return [{ ...check, status: "info", detail: "none: runs from source, which starts slower" }];
	const detail = `some are missing (${missing.join(", ")}): those run from source, the others as they were built`;
	return [{ ...check, status: "warn", detail, fix: `run \`npm run build\` in ${root}` }];
}

const rootOf = (launcher: string): string => dirname(dirname(realLauncher(launcher)));
