import { errorCode, systemPath, systemReason, whyOf } from "../../files/system-failure.ts";
import { settingsValue } from "../../install/catalog.ts";
import { applyPlan, type InstallPlan, type InstallRequest, requestedCatalog } from "../../install/plan.ts";
import type { Scope } from "../../install/settings-path.ts";
import { unifiedDiff } from "../../install/unified-diff.ts";
import { type Ask, askOnTerminal } from "./ask-on-terminal.ts";
import type { Io } from "./io.ts";
import { say } from "./say.ts";

export interface ChangeOptions {
	scope: Scope;
	yes?: boolean;
	dryRun?: boolean;
	allowMemory?: boolean | undefined;
	claudeVersion?: string;
}

export function requestOf(io: Io, { scope, allowMemory }: ChangeOptions): InstallRequest {
	return { scope, env: io.env, cwd: io.cwd, launcher: io.launcher, allowMemory };
}

/** Tells what a plan does, shows it as a diff, asks, applies it. Gives whether the settings were changed. */
export async function showAndApply(
	plan: InstallPlan,
	request: InstallRequest,
	{
		io,
		options,
		ask = askOnTerminal,
		summary,
	}: { io: Io; options: ChangeOptions; ask?: Ask | undefined; summary: string[] },
): Promise<boolean> {
	for (const text of [...summary, ...plan.notes]) say(text, io);
	io.out("");
	for (const line of unifiedDiff(plan)) io.out(coloured(line, io));
	io.out("");
	if (options.dryRun) {
		io.err("Dry run: nothing was changed.");
		return false;
	}
	if (!options.yes && !io.interactive) {
		io.err(`Nothing was changed: there is no terminal to ask on. To apply this: ${withYes(plan, options)}`);
		io.exit(2);
		return false;
	}
	if (!options.yes && !(await ask(`Change ${plan.path}? [y/N] `))) {
		io.err("Nothing was changed.");
		return false;
	}
	await applyPlan(plan, request);
	return true;
}

/** Tells a failure: one message, exit code 1, and the entries to paste where the file can't be written. */
export function tellFailure(error: unknown, io: Io, request: InstallRequest, plan?: InstallPlan): void {
	io.err(`ccg: ${explained(error)}`);
	io.exit(1);
	if (errorCode(error) !== "SETTINGS_READONLY" || plan?.kind !== "install") return;
	io.err("These entries can be pasted there by hand:");
	const value = settingsValue(requestedCatalog(request), { wrapped: plan.wraps, allowMemory: request.allowMemory });
	io.out(JSON.stringify(value, null, 2));
}

function withYes({ kind }: InstallPlan, { scope, allowMemory, claudeVersion }: ChangeOptions): string {
	const words = [
		"ccg",
		kind,
		...(scope === "user" ? [] : ["--scope", scope]),
		...(claudeVersion ? ["--claude-version", claudeVersion] : []),
		...(allowMemory ? ["--allow-memory"] : []),
	];
	return [...words, "--yes"].join(" ");
}

/** What the file system says names the reason, but not what to do. */
function explained(error: unknown): string {
	const path = systemReason(error) === null ? null : systemPath(error);
	const message = path === null ? whyOf(error) : `${path}: ${whyOf(error)}`;
	return /^E[A-Z]+$/.test(errorCode(error))
		? `${message}. The settings were not changed; check that path and its permissions.`
		: message;
}

function coloured(line: string, { colours }: Io): string {
	if (/^(\+\+\+|---) /.test(line)) return colours.bold(line);
	if (line.startsWith("+")) return colours.green(line);
	if (line.startsWith("-")) return colours.red(line);
	return line.startsWith("@@") ? colours.cyan(line) : line;
}
