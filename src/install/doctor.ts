import { storeRoot } from "../store/paths.ts";
import { checkBlockers } from "./doctor-blockers.ts";
import type { Check, DoctorInput, Report } from "./doctor-check.ts";
import { runCommands } from "./doctor-commands.ts";
import { checkCompaction } from "./doctor-compaction.ts";
import { checkDelivery } from "./doctor-delivery.ts";
import { entriesIn } from "./doctor-entries.ts";
import { checkRegistration } from "./doctor-registration.ts";
import { checkLauncher } from "./doctor-runtime.ts";
import { readSources } from "./doctor-sources.ts";
import { checkStore } from "./doctor-store.ts";

/**
 * Looks at everything that must hold for ccg to work in `cwd`, and runs each registered command. Changes nothing: the
 * commands work in a store of their own. `ok` when nothing failed.
 */
export async function runDoctor(input: DoctorInput): Promise<Report> {
	const { env, cwd, launcher, now = new Date(), progress } = input;
	const root = storeRoot(env);
	const sources = readSources(input);
	const entries = entriesIn(sources);
	const checks: Check[] = [];
	progress?.("runtime");
	for (const path of new Set([launcher, ...entries.map((entry) => entry.launcher)]))
		checks.push(...(await checkLauncher(path, env)));
	checks.push(
		...checkStore(root, now),
		...checkDelivery(root, now),
		...checkRegistration(sources, entries, env),
		...checkBlockers({ sources, entries, env, cwd, launcher }),
		...checkCompaction(sources, env),
	);
	const { checks: played, commands } = await runCommands({
		entries,
		env,
		root,
		timeLimitMs: input.timeLimitMs,
		progress,
	});
	checks.push(...played);
	return { ok: checks.every(({ status }) => status !== "fail"), checks, commands };
}
