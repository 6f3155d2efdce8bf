import { basename, dirname, resolve } from "node:path";
import { transcriptsBelow } from "../claude/transcript/transcripts.ts";
import { nameInBackticks } from "../core/text/quoted.ts";
import { timeAgo } from "../core/text/text.ts";
import { decodeLine } from "../core/transcript/decode.ts";
import { parseBoundedJson } from "../core/transcript/quiet-json.ts";
import { tryStat } from "../files/quietly.ts";
import { readTextPart } from "../files/read-file.ts";
import { realPath } from "../files/real-path.ts";
import { installTimeFile } from "../install/backup.ts";
import { claudeFolderName, claudeRoot } from "../store/paths.ts";
import { listSessions } from "../store/session/cycles.ts";
import { type DoctorCheck, type Finding, ok, warn } from "./check.ts";
import type { DoctorFacts } from "./seen.ts";

/** Sessions that ended longer ago are not checked. */
const RECENT_MS = 2 * 86_400_000;
/** How much of a transcript's end is read. */
const TAIL_BYTES = 1024 * 1024;

/**
 * The last session that ran since ccg was registered, one in this folder before others; `null` without one in the last two days. `lines`: the
 * end of its transcript, the last line first. `calledHook`: whether it called a hook of ccg.
 */
function findLastSession(facts: DoctorFacts, now: number) {
	const { env, cwd, root, onProblem } = facts;
	const since = Math.max(registrationTime(facts), now - RECENT_MS);
	if (!root || since === Number.POSITIVE_INFINITY) return null;
	const isHere = (path: string): boolean =>
		[cwd, realPath(cwd)].map(claudeFolderName).includes(basename(dirname(path)));
	const transcripts = transcriptsBelow(resolve(cwd, claudeRoot(env) ?? "/"))
		.filter(({ changed }) => changed >= since)
		.sort((a, b) => Number(isHere(b.path)) - Number(isHere(a.path)) || b.changed - a.changed);
	for (const { path, session, changed } of transcripts) {
		const lines = (readTextPart(path, TAIL_BYTES, { fromEnd: true })?.text ?? "").split("\n").filter(Boolean).reverse();
		const endedAt = Date.parse(firstString(lines, "timestamp")) || changed;
		// an old transcript may have been copied or touched since, and a time can be wrong
		if (endedAt < since || endedAt > now) continue;
		const version = /^\d[\d.]{0,30}$/.exec(firstString(lines, "version"))?.[0] ?? "";
		const where = isHere(path) ? "here" : `in ${nameInBackticks(firstString(lines, "cwd") || basename(dirname(path)))}`;
		return {
			...{ session, lines },
			title: `Claude Code ${version || "(version unknown)"} ran ${where} ${timeAgo(now - endedAt)}`,
			calledHook: listSessions({ root, onProblem }, { begin: session }).includes(session),
		};
	}
	return null;
}

/** The first string under this key at the top of a JSON line; `""` without one. */
function firstString(lines: readonly string[], key: string): string {
	for (const line of lines) {
		const value = (parseBoundedJson(line) as Record<string, unknown> | null)?.[key];
		if (typeof value === "string") return value;
	}
	return "";
}

/** Since when a settings file or an enabled plugin registers ccg, in ms; infinity where none does. */
function registrationTime({ entries, plugins, root }: DoctorFacts): number {
	const fileStats = entries.map(
		({ source: { path } }) => tryStat(installTimeFile(root ?? "/", realPath(path))) ?? tryStat(path),
	);
	// a plugin that no session has started has no folder yet, and does not count
	const pluginStats = plugins.flatMap(({ isEnabled, root }) => (isEnabled && tryStat(root)) || []);
	return Math.min(...[...fileStats, ...pluginStats].map((stat) => Math.trunc(stat?.mtimeMs ?? 0)));
}

/** Whether the last session called ccg's hooks and its transcript can be read; `obstacles` are earlier results, which may give the reason. */
export function checkLastSession(facts: DoctorFacts, obstacles: readonly DoctorCheck[], now = Date.now()): Finding[] {
	const lastSession = findLastSession(facts, now);
	if (!lastSession) return [];
	const { title, session, lines, calledHook } = lastSession;
	// a `place` event holds only the folder, branch and version: any other one shows that ccg can read what was said
	const isReadable =
		lines.length < 10 || lines.some((line) => decodeLine(parseBoundedJson(line)).some(({ kind }) => kind !== "place"));
	if (!isReadable)
		return [warn(`${title}, and ccg reads nothing in the transcript of that session (${session})`, "update ccg")];
	if (calledHook) return [ok("the last session called ccg's hooks")];
	const obstacle = obstacles.find(({ status }) => status === "fail");
	const problem = `${title} and called no hook of ccg`;
	if (obstacle) return [warn(`${problem}; the likely reason is what "${obstacle.title}" tells`, obstacle.fix)];
	return [warn(`${problem}; why can't be seen from here`, HOW_TO_FIND_OUT)];
}

const HOW_TO_FIND_OUT =
	"`/hooks` in a session lists the hooks that count there, `claude doctor` what Claude Code has against its settings; CLAUDE_CONFIG_DIR, CLAUDE_CODE_SIMPLE, --bare, --safe-mode, --setting-sources and programs built on the SDK leave hooks out";
