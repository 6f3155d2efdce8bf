import { basename, dirname, join, resolve } from "node:path";
import { transcriptsBelow } from "../claude/transcript/transcripts.ts";
import { quotedName } from "../core/text/quoted.ts";
import { shellWord } from "../core/text/shell-word.ts";
import { ago } from "../core/text/text.ts";
import { decode } from "../core/transcript/decode.ts";
import { quietJson } from "../core/transcript/quiet-json.ts";
import { namesIn } from "../files/names-in.ts";
import { quietStat } from "../files/quietly.ts";
import { readPart } from "../files/read-file.ts";
import { realPath } from "../files/real-path.ts";
import { findRepository } from "../git/repository.ts";
import { installTime } from "../install/backup.ts";
import { claudeName, claudeRoot } from "../store/paths.ts";
import { listSessions } from "../store/session/cycles.ts";
import { type DoctorCheck, type Finding, info, ok, warn } from "./check.ts";
import type { Seen } from "./seen.ts";

export const UNHEARD = " and called no hook of ccg";
/** After so long nobody asks any more. */
const RECENT_MS = 2 * 86_400_000;
const PIECE = 64 * 1024;

/** The last session of this folder and of two others since ccg was registered, with `elsewhere` also of other config folders. `isHeard`: it called a hook. */
export function lastRuns(seen: Seen, now: number, { elsewhere = false } = {}) {
	const { env, cwd, root } = seen;
	const registered = registeredAt(seen);
	const since = Math.max(registered, now - RECENT_MS);
	if (!root || since === Number.POSITIVE_INFINITY) return [];
	const heard = new Set(listSessions({ root, tell: seen.tell }));
	const isHere = (path: string): boolean => [cwd, realPath(cwd)].map(claudeName).includes(basename(dirname(path)));
	const own = realPath(resolve(cwd, claudeRoot(env) ?? "/"));
	// where `CLAUDE_CONFIG_DIR` may have led a session
	const tops = env.HOME && elsewhere ? [env.HOME, join(env.HOME, ".config")] : [];
	const around = tops.flatMap((top) => namesIn(top).map((name) => join(top, name)));
	const isMine = (path: string): boolean => quietStat(join(path, "projects"))?.uid === process.getuid?.();
	const found = [...new Set([own, ...around].filter(isMine).map(realPath))]
		.flatMap((config) => transcriptsBelow(config).map((one) => ({ ...one, config })))
		// a repository may be anybody's
		.filter(({ path, config, changed }) => changed >= since && (config === own || !findRepository(dirname(path))))
		.sort((a, b) => Number(isHere(b.path)) - Number(isHere(a.path)) || b.changed - a.changed);
	const runOf = ({ path, session, config, changed }: (typeof found)[number]) => {
		const [first, last] = [partLines(readPart(path, PIECE)), partLines(readPart(path, PIECE, { end: true }))];
		const newestFirst = [...last.toReversed(), ...first.toReversed()];
		const at = Date.parse(firstText(last.toReversed(), "timestamp")) || changed;
		const version = /^\d[\d.]{0,30}$/.exec(firstText(newestFirst, "version"))?.[0] ?? "";
		const where = isHere(path) ? "here" : `in ${quotedName(firstText(newestFirst, "cwd") || basename(dirname(path)))}`;
		return {
			...{ at, session, lines: [...last, ...first], isHere: where === "here", folder: dirname(path) },
			version,
			title: `Claude Code ${version || "(version unknown)"} ran ${where} ${ago(now - at)}`,
			isHeard: heard.has(session),
			isOlder: Date.parse(firstText(first, "timestamp")) < registered && at < registered + 60_000,
			config: config === own ? null : config,
		};
	};
	const runs: ReturnType<typeof runOf>[] = [];
	for (const one of found) {
		if (runs.length === 3) break;
		if (runs.some(({ folder }) => folder === dirname(one.path))) continue;
		const run = runOf(one);
		// what was copied or touched is no session that ran, nor is one of times to come
		if (run.at >= since && run.at <= now) runs.push(run);
	}
	return runs;
}

const partLines = (part: { text: string } | null | undefined): string[] => part?.text.split("\n").filter(Boolean) ?? [];

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
	const ofPlugin = plugins.filter(({ isEnabled }) => isEnabled).map((plugin) => quietStat(plugin.root));
	return Math.min(...[...installs, ...ofPlugin].map((stat) => Math.trunc(stat?.mtimeMs ?? 0)));
}

/** What ran, beside what is registered: whatever the reason is why no hook was called, it shows here. `checks`: what was found so far. */
export function whatRan(seen: Seen, checks: readonly DoctorCheck[], now = Date.now()): Finding[] {
	const wrong = checks.find(({ id, status }) => status === "fail" && /^(?:settings|blockers)\./.test(id));
	const runs = lastRuns(seen, now, { elsewhere: true });
	const findings = runs.flatMap(({ title, session, lines, isHeard, isOlder, config }): Finding[] => {
		const isRead =
			lines.length < 10 || lines.some((line) => decode(quietJson(line)).some(({ kind }) => kind !== "place"));
		if (!isRead)
			return [warn(`${title}, and ccg reads nothing in the transcript of that session (${session})`, "update ccg")];
		if (isHeard) return [];
		const unheard = title + UNHEARD;
		if (config) {
			const fix = `\`CLAUDE_CONFIG_DIR=${shellWord(config)} ccg install\` registers ccg there`;
			return [warn(`${unheard}: its settings were those of ${config}`, fix)];
		}
		if (wrong) return [warn(`${unheard}; the likely reason is what "${wrong.title}" tells`, wrong.fix)];
		if (isOlder) return [info(`${unheard}: it ended within a minute after ccg was registered`)];
		return [warn(`${unheard}; why can't be seen from here`, UNSEEN)];
	});
	return findings.length > 0 || runs.length === 0 ? findings : [ok("the last sessions called ccg's hooks")];
}

const UNSEEN =
	"`/hooks` in a session lists the hooks that count there, `claude doctor` what Claude Code has against its settings; CLAUDE_CODE_SIMPLE, --bare, --safe-mode, --setting-sources and programs built on the SDK leave hooks out";
