import { basename, dirname, resolve } from "node:path";
import { transcriptsBelow } from "../claude/transcript/transcripts.ts";
import { quotedName } from "../core/text/quoted.ts";
import { ago } from "../core/text/text.ts";
import { decode } from "../core/transcript/decode.ts";
import { quietJson } from "../core/transcript/quiet-json.ts";
import { quietStat } from "../files/quietly.ts";
import { readPart } from "../files/read-file.ts";
import { realPath } from "../files/real-path.ts";
import { installTime } from "../install/backup.ts";
import { claudeName, claudeRoot } from "../store/paths.ts";
import { listSessions } from "../store/session/cycles.ts";
import { type DoctorCheck, type Finding, ok, warn } from "./check.ts";
import type { Seen } from "./seen.ts";

export const UNHEARD = " and called no hook of ccg";
/** After so long nobody asks any more. */
const RECENT_MS = 2 * 86_400_000;
/** Read of each, from its end. */
const LAST_BYTES = 1024 * 1024;

/** The last session since ccg was registered, this folder's before another's. `isHeard`: it called a hook. */
export function lastRun(seen: Seen, now: number) {
	const { env, cwd, root, tell } = seen;
	const since = Math.max(registeredAt(seen), now - RECENT_MS);
	if (!root || since === Number.POSITIVE_INFINITY) return null;
	const isHere = (path: string): boolean => [cwd, realPath(cwd)].map(claudeName).includes(basename(dirname(path)));
	const found = transcriptsBelow(resolve(cwd, claudeRoot(env) ?? "/"))
		.filter(({ changed }) => changed >= since)
		.sort((a, b) => Number(isHere(b.path)) - Number(isHere(a.path)) || b.changed - a.changed);
	for (const { path, session, changed } of found) {
		const lines = (readPart(path, LAST_BYTES, { end: true })?.text ?? "").split("\n").filter(Boolean).reverse();
		const at = Date.parse(firstText(lines, "timestamp")) || changed;
		// what was copied or touched is no session that ran, nor is one of times to come
		if (at < since || at > now) continue;
		const version = /^\d[\d.]{0,30}$/.exec(firstText(lines, "version"))?.[0] ?? "";
		const where = isHere(path) ? "here" : `in ${quotedName(firstText(lines, "cwd") || basename(dirname(path)))}`;
		return {
			...{ session, lines, isHere: where === "here" },
			title: `Claude Code ${version || "(version unknown)"} ran ${where} ${ago(now - at)}`,
			isHeard: listSessions({ root, tell }).includes(session),
		};
	}
	return null;
}

/** The text that the first of these lines holds which has one; a line's own, nothing that stands in a result. */
function firstText(lines: readonly string[], name: string): string {
	for (const line of lines) {
		const value = (quietJson(line) as Record<string, unknown> | null)?.[name];
		if (typeof value === "string") return value;
	}
	return "";
}

/** Since when something calls ccg; infinity where nothing does. */
function registeredAt({ entries, plugins, root }: Seen): number {
	const installs = entries.map(
		({ source: { path } }) => quietStat(installTime(root ?? "/", realPath(path))) ?? quietStat(path),
	);
	// one that no session has started is not asked
	const ofPlugin = plugins.flatMap(({ isEnabled, root }) => (isEnabled && quietStat(root)) || []);
	return Math.min(...[...installs, ...ofPlugin].map((stat) => Math.trunc(stat?.mtimeMs ?? 0)));
}

/** What ran, beside what is registered: whatever the reason is why no hook was called, it shows here. `obstacles`: what was found so far. */
export function lastSessionFindings(seen: Seen, obstacles: readonly DoctorCheck[], now = Date.now()): Finding[] {
	const run = lastRun(seen, now);
	if (!run) return [];
	const { title, session, lines, isHeard } = run;
	const isRead =
		lines.length < 10 || lines.some((line) => decode(quietJson(line)).some(({ kind }) => kind !== "place"));
	if (!isRead)
		return [warn(`${title}, and ccg reads nothing in the transcript of that session (${session})`, "update ccg")];
	if (isHeard) return [ok("the last session called ccg's hooks")];
	const wrong = obstacles.find(({ status }) => status === "fail");
	const unheard = title + UNHEARD;
	if (wrong) return [warn(`${unheard}; the likely reason is what "${wrong.title}" tells`, wrong.fix)];
	return [warn(`${unheard}; why can't be seen from here`, UNSEEN)];
}

const UNSEEN =
	"`/hooks` in a session lists the hooks that count there, `claude doctor` what Claude Code has against its settings; CLAUDE_CONFIG_DIR, CLAUDE_CODE_SIMPLE, --bare, --safe-mode, --setting-sources and programs built on the SDK leave hooks out";
