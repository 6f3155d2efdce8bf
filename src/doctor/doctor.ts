import { findClaude } from "../install/claude-version.ts";
import { BLOCKERS } from "./blockers.ts";
import { type DoctorCheck, toChecks } from "./check.ts";
import { runCommands } from "./commands.ts";
import { lastSessionFindings } from "./ran.ts";
import { REGISTRATION } from "./registration.ts";
import { RUNTIME } from "./runtime.ts";
import { collectSeen, type DoctorInput, type Seen } from "./seen.ts";
import { STORE } from "./store.ts";

export type Report = Awaited<ReturnType<typeof runDoctor>>;

/**
 * Looks at everything that must hold for ccg to work in `cwd`, and tries one registered command for each part and situation, of those
 * that this installation would itself write, letter by letter; other commands are only shown. Where none is registered it tries the
 * plugin's. Changes nothing: the trials work in a store of their own. `ok` when nothing failed.
 */
export async function runDoctor(input: DoctorInput) {
	input.progress?.("Claude Code");
	const seen = collectSeen(input, input.claude ?? (await findClaude(input.env, input.cwd)));
	const found = lookAround(seen);
	const lastSession = toChecks("blockers.ran", "what ran", lastSessionFindings(seen, found.filter(isObstacle)));
	const trials = await runCommands(seen);
	const checks = [...found, ...lastSession, ...trials.map(({ check }) => check)];
	const commands = trials.map(({ command }) => command);
	return { ok: checks.every(({ status }) => status !== "fail"), checks, commands };
}

/** What keeps an installation from working, as far as it shows without running anything. */
export const findObstacles = (input: DoctorInput): DoctorCheck[] =>
	lookAround(collectSeen(input, [])).filter(isObstacle);

const isObstacle = ({ id, status }: DoctorCheck): boolean =>
	/^(?:settings|blockers)\./.test(id) && (status === "fail" || status === "warn");

/** All that is found without running anything. */
export const lookAround = (seen: Seen): DoctorCheck[] =>
	[...RUNTIME, ...STORE, ...REGISTRATION, ...BLOCKERS].flatMap(([id, title, look]) => toChecks(id, title, look(seen)));
