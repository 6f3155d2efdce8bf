import { findClaudeVersions } from "../install/claude-version.ts";
import { BLOCKERS } from "./blockers.ts";
import { type DoctorCheck, toChecks } from "./check.ts";
import { tryCommands } from "./commands.ts";
import { checkLastSession } from "./ran.ts";
import { REGISTRATION } from "./registration.ts";
import { RUNTIME } from "./runtime.ts";
import { collectFacts, type DoctorFacts, type DoctorInput } from "./seen.ts";
import { STORE } from "./store.ts";

/**
 * Checks everything that must hold for ccg to work in `cwd`, then runs registered commands in the situations of a session, in a sandbox with
 * a store of its own. Runs only commands that this installation would itself write, letter by letter; without any, the plugin's. `ok`: no
 * check failed.
 */
export async function runDoctor(input: DoctorInput) {
	input.progress?.("Claude Code");
	const facts = collectFacts(input, input.claude ?? (await findClaudeVersions(input.env, input.cwd)));
	const found = runStaticChecks(facts);
	const lastSession = toChecks("blockers.ran", "what ran", checkLastSession(facts, found.filter(isObstacle)));
	const trials = await tryCommands(facts);
	const checks = [...found, ...lastSession, ...trials.map(({ check }) => check)];
	const ok = checks.every(({ status }) => status !== "fail");
	return { ok, checks, commands: trials.map(({ command }) => command) };
}

/** What keeps ccg's hooks from running, as far as it shows without running a command. */
export const findObstacles = (input: DoctorInput): DoctorCheck[] =>
	runStaticChecks(collectFacts(input, [])).filter(isObstacle);

/** Whether a check of the registration, or of what blocks hooks, found something wrong. */
const isObstacle = ({ id, status }: DoctorCheck): boolean =>
	/^(?:settings|blockers)\./.test(id) && (status === "fail" || status === "warn");

/** The results of all checks that run no command. */
export const runStaticChecks = (facts: DoctorFacts): DoctorCheck[] =>
	[...RUNTIME, ...STORE, ...REGISTRATION, ...BLOCKERS].flatMap(([id, title, check]) =>
		toChecks(id, title, check(facts)),
	);
