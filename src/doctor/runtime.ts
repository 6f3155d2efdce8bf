import { closeSync, existsSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { isProgram } from "../files/on-path.ts";
import { realPath } from "../files/real-path.ts";
import { type FoundClaude, lackOf } from "../install/claude-version.ts";
import { HOOK_PARTS, MOD_PARTS } from "../install/hook-parts.ts";
import { runProcess } from "../install/run-process.ts";
import { tryLock } from "../store/kernel-lock.ts";
import type { Env } from "../store/paths.ts";
import type { DoctorCheck } from "./check.ts";

const TIME_LIMIT_MS = 10_000;

/** The launcher that is running: it finds Bun or Node, starts ccg, and runs bundles. The only one the doctor ever starts. */
export async function checkLauncher(launcher: string, env: Env): Promise<DoctorCheck[]> {
	const check = lookAtLauncher(launcher);
	if (check.status !== "info") return [check];
	const { code, out, err, timedOut } = await runProcess([launcher, "--version"], {
		cwd: "/",
		env,
		timeLimitMs: TIME_LIMIT_MS,
	});
	const found: DoctorCheck = { ...check, status: "ok", detail: launcher };
	const problem = timedOut
		? `\`--version\` did not end within ${TIME_LIMIT_MS / 1000} s`
		: code === 0
			? null
			: (err.trim().split("\n").at(-1) ?? `\`--version\` ended with exit code ${code}`);
	if (problem) {
		const fix = `run \`npm install\` in ${rootOf(launcher)}, or put Bun or Node on PATH`;
		return [found, { id: "runtime.bun", status: "fail", title: "runtime", detail: `${launcher}: ${problem}`, fix }];
	}
	found.detail = `${launcher} (ccg ${out.trim().split("\n").at(-1)})`;
	return [found, runtimeOf(launcher), ...checkBundles(launcher)];
}

/** A launcher that a settings file names: looked at, never started. */
export function lookAtLauncher(launcher: string): DoctorCheck {
	const check = { id: "runtime.launcher", title: "launcher" };
	if (isProgram(launcher)) return { ...check, status: "info", detail: `${launcher}, another one: not started` };
	const why = existsSync(launcher) ? "is not executable" : "is gone";
	return {
		...check,
		status: "fail",
		detail: `the launcher ${launcher} ${why}; hooks that name it end in silence`,
		fix: "run `ccg install` again",
	};
}

/** Which Claude Code reads the settings, and what of ccg the version can't do. */
export function checkClaude(found: readonly FoundClaude[]): DoctorCheck[] {
	const check = { id: "runtime.claude", title: "Claude Code" };
	if (found.length === 0)
		return [{ ...check, status: "info", detail: "not found on PATH: whether it knows every event can't be told" }];
	return found.map(({ version, path }) => {
		const lack = lackOf(version);
		const detail = [`${version} (${path})`, lack.join(" ")].filter(Boolean).join(": ");
		return { ...check, status: lack.length > 0 ? "info" : "ok", detail };
	});
}

/** What runs this is what the launcher found (`bin/find-runtime`). */
function runtimeOf(launcher: string): DoctorCheck {
	const program = process.execPath;
	const fix = "run `npm install` in ccg's folder, then it brings its own Bun";
	if (!process.versions.bun) return { ...nodeOf(program), fix };
	const check = { id: "runtime.bun", title: "Bun" };
	const detail = `${process.versions.bun} (${program})`;
	if (program.startsWith(`${rootOf(launcher)}/`) || program.includes("/node_modules/"))
		return { ...check, status: "ok", detail };
	const where = `${detail}, found elsewhere since ccg has none of its own`;
	return { ...check, status: "info", detail: `${where}: whoever removes it stops ccg`, fix };
}

function nodeOf(program: string): DoctorCheck {
	const detail = [
		`Node ${process.versions.node} (${program}), since no Bun of 1.4.3 or newer was found: each hook takes 50 to 80 ms longer`,
	];
	const noLock = whyNoLock(program);
	if (noLock) detail.push(`${noLock}, so sessions are kept only in part`);
	return { id: "runtime.bun", status: noLock ? "fail" : "warn", title: "runtime", detail: detail.join("; ") };
}

/** Tried on a file that nobody locks. */
function whyNoLock(path: string): string | null {
	const fd = openSync(path, "r");
	try {
		tryLock(fd);
		return null;
	} catch (error) {
		return (error as Error).message;
	} finally {
		closeSync(fd);
	}
}

/** What entries load when they need it: where it is missing, nothing takes its place. */
const LOADED = ["src/events/steps/judge", "src/core/redact/rules", "src/install/execa"];
const ENTRIES = [...HOOK_PARTS, ...MOD_PARTS]
	.map((part) => `hooks/${part}`)
	.concat("statusline/statusline", "src/cli/main", "src/cli/agent", "src/cli/recall", LOADED);

function checkBundles(launcher: string): DoctorCheck[] {
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
	const without = missing.some((entry) => LOADED.includes(entry)) ? "; what the others load then is not there" : "";
	const detail = `some are missing (${missing.join(", ")}): those run from source, the others as they were built${without}`;
	return [{ ...check, status: "warn", detail, fix: `run \`npm run build\` in ${root}` }];
}

const rootOf = (launcher: string): string => dirname(dirname(realPath(launcher)));
