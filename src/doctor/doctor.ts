import { findClaude } from "../install/claude-version.ts";
import { readSources } from "../install/settings-sources.ts";
import { storeRoot } from "../store/paths.ts";
import { checkBlockers } from "./blockers.ts";
import type { DoctorCheck, DoctorInput, Report } from "./check.ts";
import { checkTriggers } from "./checkpoint-triggers.ts";
import { runCommands } from "./commands.ts";
import { checkCompaction } from "./compaction.ts";
import { checkDelivery } from "./delivery.ts";
import { entriesIn } from "./entries.ts";
import { checkMcp } from "./mcp.ts";
import { asWritten } from "./own.ts";
import { checkRegistration } from "./registration.ts";
import { checkClaude, checkLauncher, lookAtLauncher } from "./runtime.ts";
import { checkStore } from "./store.ts";

/**
 * Looks at everything that must hold for ccg to work in `cwd`, and runs each registered command that this installation
 * would itself write, letter by letter; all others, whatever they look like, are shown. Changes nothing: the commands work
 * in a store of their own. `ok` when nothing failed.
 */
export async function runDoctor(input: DoctorInput): Promise<Report> {
	const { env, cwd, launcher, tell, now = new Date(), progress } = input;
	const root = storeRoot(env);
	const sources = readSources(input);
	const entries = entriesIn(sources);
	const checks: DoctorCheck[] = [];
	progress?.("runtime");
	checks.push(...(await checkLauncher(launcher, env)));
	for (const path of new Set(entries.map((entry) => entry.launcher)))
		if (path !== launcher) checks.push(lookAtLauncher(path));
	progress?.("Claude Code");
	const claude = input.claude ?? (await findClaude(env, cwd));
	checks.push(
		...checkClaude(claude),
		...checkStore(root, now),
		...checkDelivery(root ? { root, tell } : null, now),
		...checkRegistration(sources, entries, env, claude),
		await checkMcp(input, root),
		...checkBlockers({ sources, entries, env, cwd, launcher }),
		...checkCompaction(sources, env),
		checkTriggers(root, cwd),
	);
	const { own, foreign } = asWritten({ entries, launcher, env, cwd });
	const { checks: played, commands } = await runCommands({
		entries: own,
		env,
		root,
		timeLimitMs: input.timeLimitMs,
		progress,
	});
	checks.push(...played, ...foreign);
	return { ok: checks.every(({ status }) => status !== "fail"), checks: checks.map(printable), commands };
}

/** Names and commands come from files of anybody: what would act on a terminal, or not show, is written out. */
function printable(check: DoctorCheck): DoctorCheck {
	const texts = Object.entries(check).map(([key, text]) => [
		key,
		String(text).replace(/\p{C}/gu, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`),
	]);
	return Object.fromEntries(texts);
}
