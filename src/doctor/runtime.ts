import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FoundClaude, lackOf } from "../install/claude-version.ts";
import { HOOK_PARTS, MOD_PARTS } from "../install/hook-parts.ts";
import { runProcess } from "../install/run-process.ts";
import type { Env } from "../store/paths.ts";
import type { DoctorCheck } from "./check.ts";
import { realLauncher } from "./entries.ts";

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

/** The launcher that is running: it finds Bun, starts ccg, and runs bundles. The only one the doctor ever starts. */
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
		const fix = `run \`npm install\` in ${rootOf(launcher)}, or put bun on PATH`;
		return [found, { id: "runtime.bun", status: "fail", title: "Bun", detail: `${launcher}: ${problem}`, fix }];
	}
	found.detail = `${launcher} (ccg ${out.trim().split("\n").at(-1)})`;
	return [found, bunOf(), ...checkBundles(launcher)];
}

/** A launcher that a settings file names: looked at, never started. */
export function lookAtLauncher(launcher: string): DoctorCheck {
	const check = { id: "runtime.launcher", title: "launcher" };
	if (isUsable(launcher)) return { ...check, status: "info", detail: `${launcher}, another one: not started` };
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

/** The Bun that runs this is the one the launcher found. */
function bunOf(): DoctorCheck {
	const bun = process.execPath;
	const check = { id: "runtime.bun", title: "Bun" };
	const detail = `${Bun.version} (${bun})`;
	if (bun.includes("/node_modules/")) return { ...check, status: "ok", detail };
	return {
		...check,
		status: "info",
		detail: `${detail}, found through PATH: a Claude Code started elsewhere may have another PATH`,
		fix: "run `npm install` in ccg's folder, then it brings its own",
	};
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

const rootOf = (launcher: string): string => dirname(dirname(realLauncher(launcher)));
