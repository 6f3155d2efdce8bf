import { askSettings } from "../install/ask-settings.ts";
import { findClaude } from "../install/claude-version.ts";
import { BLOCKERS } from "./blockers.ts";
import { checked, type DoctorCheck, fail, info, warn } from "./check.ts";
import { runCommands } from "./commands.ts";
import { checkMcp } from "./mcp.ts";
import { whatRan } from "./ran.ts";
import { REGISTRATION } from "./registration.ts";
import { checkLauncher, RUNTIME } from "./runtime.ts";
import { type DoctorInput, type Seen, see } from "./seen.ts";
import { STORE } from "./store.ts";

export type Report = Awaited<ReturnType<typeof runDoctor>>;

/**
 * Looks at everything that must hold for ccg to work in `cwd`, and runs each registered command that this installation
 * would itself write, letter by letter; all others, whatever they look like, are shown. Changes nothing: the commands work
 * in a store of their own. `ok` when nothing failed.
 */
export async function runDoctor(input: DoctorInput) {
	const { env, cwd, progress } = input;
	progress?.("Claude Code");
	const seen = see(input, input.claude ?? (await findClaude(env, cwd)));
	const found = lookAround(seen);
	progress?.("runtime");
	const runtime = checked("runtime.launcher", "launcher", await checkLauncher(seen));
	const objections = await askSettings(seen.claude, seen.sources, env);
	const read = objections.map(({ path, isPart, text }) =>
		path === null ? info(text) : (isPart ? warn : fail)(text, `mend that place in ${path}`),
	);
	const asked = checked("settings.read", "read by Claude Code", read);
	const ran = checked("blockers.ran", "what ran", whatRan(seen, [...asked, ...found]));
	const mcp = checked("settings.mcp", "MCP server", await checkMcp(seen));
	const { played, commands } = await runCommands(seen);
	const checks = [...runtime, ...found, ...asked, ...ran, ...mcp, ...played];
	return { ok: checks.every(({ status }) => status !== "fail"), checks: checks.map(printable), commands };
}

/** All that is found without running anything. */
export const lookAround = (seen: Seen): DoctorCheck[] =>
	[...RUNTIME, ...STORE, ...REGISTRATION, ...BLOCKERS].flatMap(([id, title, look]) => checked(id, title, look(seen)));

/** Names and commands come from files of anybody: what would act on a terminal, or not show, is written out. */
const printable = (check: DoctorCheck): DoctorCheck =>
	JSON.parse(
		JSON.stringify(check, (_, value) =>
			typeof value === "string" ? value.replace(/\p{C}/gu, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`) : value,
		),
	);
