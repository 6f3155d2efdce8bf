import { askSettings } from "../install/ask-settings.ts";
import { findClaude } from "../install/claude-version.ts";
import { BLOCKERS } from "./blockers.ts";
import { type DoctorCheck, fail, toChecks, warn } from "./check.ts";
import { runCommands } from "./commands.ts";
import { registeredServer } from "./mcp.ts";
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
	const { seen, found, asked } = await askAround(input);
	const ran = toChecks("blockers.ran", "what ran", whatRan(seen, [...asked, ...found]));
	const server = toChecks("settings.mcp", "MCP server", registeredServer(seen));
	const { played, commands } = await runCommands(seen);
	const checks = [...found, ...asked, ...ran, ...server, ...played];
	return { ok: checks.every(({ status }) => status !== "fail"), checks, commands };
}

/** What keeps an installation from working, as far as it shows without running it. */
export async function findObstacles(input: DoctorInput): Promise<DoctorCheck[]> {
	const { found, asked } = await askAround(input);
	return [...found, ...asked].filter(
		({ id, status }) => /^(?:settings|blockers)\./.test(id) && (status === "fail" || status === "warn"),
	);
}

/** All that is found, and what Claude Code says of the settings. */
async function askAround(input: DoctorInput) {
	const { env, cwd, progress } = input;
	progress?.("Claude Code");
	const seen = collectSeen(input, input.claude ?? (await findClaude(env, cwd)));
	const objections = await askSettings(seen.claude, seen.sources, env);
	const asked = objections.map(({ path, isPart, text }) => (isPart ? warn : fail)(text, `mend that place in ${path}`));
	return { seen, found: lookAround(seen), asked: toChecks("settings.read", "read by Claude Code", asked) };
}

/** All that is found without running anything. */
export const lookAround = (seen: Seen): DoctorCheck[] =>
	[...RUNTIME, ...STORE, ...REGISTRATION, ...BLOCKERS].flatMap(([id, title, look]) => toChecks(id, title, look(seen)));
