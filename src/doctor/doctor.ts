import { findClaude } from "../install/claude-version.ts";
import { BLOCKERS } from "./blockers.ts";
import { type DoctorCheck, toChecks } from "./check.ts";
import { runCommands } from "./commands.ts";
import { whatRan } from "./ran.ts";
import { REGISTRATION } from "./registration.ts";
import { RUNTIME } from "./runtime.ts";
import { collectSeen, type DoctorInput, type Seen } from "./seen.ts";
import { STORE } from "./store.ts";

export type Report = Awaited<ReturnType<typeof runDoctor>>;

/**
 * Looks at everything that must hold for ccg to work in `cwd`, and runs each registered command that this installation
 * would itself write, letter by letter; all others, whatever they look like, are shown. Changes nothing: the commands work
 * in a store of their own. `ok` when nothing failed.
 */
export async function runDoctor(input: DoctorInput) {
	input.progress?.("Claude Code");
	const seen = collectSeen(input, input.claude ?? (await findClaude(input.env, input.cwd)));
	const found = lookAround(seen);
	const ran = toChecks("blockers.ran", "what ran", whatRan(seen, found.filter(isObstacle)));
	const played = await runCommands(seen);
	const checks = [...found, ...ran, ...played.map(({ check }) => check)];
	const commands = played.map(({ command }) => command);
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
