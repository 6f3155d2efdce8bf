import { basename, dirname, join, resolve } from "node:path";
import { transcriptsBelow } from "../claude/transcript/transcripts.ts";
import { shellWord } from "../core/text/shell-word.ts";
import { ago } from "../core/text/text.ts";
import { decode } from "../core/transcript/decode.ts";
import { quietJson } from "../core/transcript/quiet-json.ts";
import { namesIn } from "../files/names-in.ts";
import { quietStat } from "../files/quietly.ts";
import { readPart } from "../files/read-file.ts";
import { foldersUp, realPath } from "../files/real-path.ts";
import { receiptFolder } from "../install/receipt.ts";
import { claudeName, claudeRoot } from "../store/paths.ts";
import { listSessions } from "../store/session/cycles.ts";
import { type DoctorCheck, type Finding, info, ok, warn } from "./check.ts";
import type { Seen } from "./seen.ts";

/** After so long nobody asks any more. */
const RECENT_MS = 2 * 86_400_000;
/** So many folders are told of, this one first. */
const MOST = 3;
const PIECE = 64 * 1024;
/** So few lines may hold no conversation. */
const FEW = 10;

/**
 * The last session of each folder, by the transcripts that Claude Code wrote since ccg was registered: this folder's first. `isHeard`: it
 * called a hook of ccg.
 */
export function lastRuns(seen: Seen, now: number) {
	const { env, cwd, root, tell } = seen;
	const since = Math.max(registeredAt(seen), now - RECENT_MS);
	if (!root || since === Number.POSITIVE_INFINITY) return [];
	const heard = new Set(listSessions({ root, tell }));
	const here = new Set([cwd, realPath(cwd)].map(claudeName));
	const own = realPath(resolve(cwd, claudeRoot(env) ?? "/"));
	const newest = configFolders(seen)
		.flatMap((config) => transcriptsBelow(config).map((one) => ({ ...one, config })))
		.filter(({ changed }) => changed > since)
		.sort((a, b) => b.changed - a.changed)
		.filter(({ path }, n, all) => all.findIndex((one) => dirname(one.path) === dirname(path)) === n)
		.map((one) => ({ ...one, isHere: here.has(basename(dirname(one.path))) }))
		.sort((a, b) => Number(b.isHere) - Number(a.isHere));
	return newest.slice(0, MOST).flatMap(({ path, session, config, isHere }) => {
		const [first, last] = [readPart(path, PIECE)?.text ?? "", readPart(path, PIECE, { end: true })?.text ?? ""];
		const at = Date.parse(valueIn("timestamp", last.slice(last.lastIndexOf('"timestamp":'))));
		// a copied file is no session
		if (!(at > since)) return [];
		return {
			...{ session, isHere, isHeard: heard.has(session), lines: `${first}\n${last}`.split("\n").filter(Boolean) },
			when: `${isHere ? "here" : `in ${valueIn("cwd", last) || basename(dirname(path))}`} ${ago(now - at)}`,
			version: valueIn("version", last),
			began: Date.parse(valueIn("timestamp", first)),
			/** Where it is not that of this shell. */
			config: config === own ? null : config,
		};
	});
}

const valueIn = (name: string, text: string): string => new RegExp(`"${name}":"([^"\\\\]*)"`).exec(text)?.[1] ?? "";

/** Since when something calls ccg; infinity where nothing does. */
function registeredAt({ entries, plugins, root }: Seen): number {
	const times = entries.map(({ source: { path } }) => {
		const receipt = quietStat(join(receiptFolder(root ?? "/", realPath(path)), "receipt.json"));
		return (receipt ?? quietStat(path))?.mtimeMs ?? 0;
	});
	const ofPlugin = plugins.filter(({ isEnabled }) => isEnabled).map((plugin) => quietStat(plugin.root)?.mtimeMs ?? 0);
	return Math.min(...times, ...ofPlugin);
}

/** Where `CLAUDE_CONFIG_DIR` may have led a session: this shell's folder, and this user's below the home and around `cwd`. */
function configFolders({ env, cwd }: Seen): string[] {
	const tops = [...(env.HOME ? [env.HOME, join(env.HOME, ".config")] : []), ...foldersUp(cwd)];
	const around = tops.flatMap((top) => [top, ...namesIn(top).map((name) => join(top, name))]);
	const own = resolve(cwd, claudeRoot(env) ?? "/");
	const isMine = (path: string): boolean => quietStat(join(path, "projects"))?.uid === process.getuid?.();
	return [...new Set([own, ...around].filter(isMine).map(realPath))];
}

/** What ran, beside what is registered: whatever the reason is why no hook was called, it shows here. `checks`: what was found so far. */
export function whatRan(seen: Seen, checks: readonly DoctorCheck[], now = Date.now()): Finding[] {
	const runs = lastRuns(seen, now);
	const findings = runs.flatMap(({ isHeard, when, version, began, config, session, lines }): Finding[] => {
		const claude = `${["Claude Code", version].filter(Boolean).join(" ")} ran ${when}`;
		const isRead =
			lines.length < FEW || lines.some((line) => decode(quietJson(line)).some(({ kind }) => kind !== "place"));
		const unread = `${claude}, and ccg reads nothing in the transcript of that session (${session})`;
		const told = isRead
			? []
			: [warn(unread, "update ccg; it knows the transcripts of the versions in docs/versions.md")];
		if (isHeard) return told;
		const unheard = `${claude} and called no hook of ccg`;
		const wrong = checks.find(({ id, status }) => status === "fail" && /^(?:settings|blockers)\./.test(id));
		if (config)
			return [
				...told,
				warn(
					`${unheard}: its settings were those of ${config}`,
					`\`CLAUDE_CONFIG_DIR=${shellWord(config)} ccg install\` registers ccg there`,
				),
			];
		if (wrong) return [...told, warn(`${unheard}; the likely reason is what "${wrong.title}" tells`, wrong.fix)];
		if (began < registeredAt(seen)) return [...told, info(`${unheard}: it began before ccg was registered`)];
		return [...told, warn(`${unheard}; why can't be seen from here`, UNSEEN)];
	});
	return findings.length > 0 || runs.length === 0 ? findings : [ok("the last sessions called ccg's hooks")];
}

const UNSEEN =
	"`/hooks` in a session lists the hooks that count there, `claude doctor` what Claude Code has against its settings; --bare, --safe-mode, --setting-sources and programs built on the SDK leave hooks out";
