import { relativePath } from "../block/item.ts";
import { lastRequest } from "../checkpoint/document-state.ts";
import type { Pressure } from "../pressure/pressure.ts";
import type { SessionState } from "../state/session-state.ts";
import { isOpenTask } from "../state/tasks.ts";
import { inBackticks } from "../text/quoted.ts";
import { agoSince, countWithNoun, oneLine, truncate } from "../text/text.ts";
import { type Cycle, compactedAt, hasHaltPass } from "./cycle.ts";

/** Options that Claude Code was started with, and its process id where that is kept. */
export type LaunchOptions = Partial<Record<"pid" | "autocompact" | "settings", string | undefined>>;

/** The last measurement of a session. `at`: ISO 8601. */
export interface UsageRecord extends Pressure {
	at: string;
	source: "status line" | "transcript";
	model: string;
	claudeVersion: string | null;
	/** The folder it works in. */
	cwd: string;
	transcriptPath: string;
	launch?: LaunchOptions | undefined;
	/** The number of the cycle in which a checkpoint of high use was asked for. */
	asked?: number;
}

/** The state of the halt that began at `haltAt`. `free`: a task checkpoint was written, so one change may pass; `lifted`: by a person. */
export function haltStatus(
	haltAt: string | null,
	cycle: Cycle,
	mode: string,
): "idle" | "critical" | "held back" | "free" | "lifted" {
	if (mode === "off") return "idle";
	if (cycle.resumed) return "lifted";
	// a compaction ends a halt, as in the halt gate
	const isHalted = haltAt !== null && compactedAt(cycle) <= haltAt;
	if (mode !== "enforce") return isHalted || cycle.isHaltTold ? "critical" : "idle";
	if (!isHalted) return "idle";
	return hasHaltPass(cycle, haltAt) ? "free" : "held back";
}

/** What the store keeps of a session, for its description. */
interface KeptOfSession {
	lastUsage: Partial<UsageRecord>;
	cycle: Cycle;
	/** From its record: why the session ended, and what its transcript leaves unclear. */
	recordFacts: { ended?: string; unclear?: string | undefined };
	/** Its newest checkpoint. */
	latest: { key: string; path: string; at: string } | null;
}

/** Describes a session by its last measurement, cycle and checkpoint. Unknown values are `null`; times are in ISO 8601. */
export function describeSession({ lastUsage, cycle, recordFacts, latest }: KeptOfSession) {
	// a measurement from before the last compaction says nothing of the context now
	const isOutdated = compactedAt(cycle) > (lastUsage.at ?? "");
	const usage = isOutdated ? { ...lastUsage, tokens: null, distance: null, zone: undefined } : lastUsage;
	const stateOf = (key: string) =>
		cycle.prepared?.key === key ? "pending" : cycle.began?.key === key ? "committed" : "saved";
	return {
		cycle,
		seenAt: usage.at ?? latest?.at ?? null,
		cwd: usage.cwd || cycle.place?.folder || null,
		transcriptPath: usage.transcriptPath || null,
		model: usage.model ?? null,
		claudeVersion: usage.claudeVersion ?? null,
		source: usage.source ?? null,
		tokens: usage.tokens ?? null,
		window: usage.window ?? null,
		trigger: usage.trigger ?? null,
		why: usage.why ?? null,
		distance: usage.distance ?? null,
		zone: usage.zone ?? "unknown",
		/** Why Claude Code said it ended; `null` while it runs. */
		ended: recordFacts.ended || null,
		/** What its transcript leaves unclear, or that there is none although a prompt came; else `null`. */
		unclear: recordFacts.unclear ?? null,
		checkpoint: latest && { ...latest, state: stateOf(latest.key) },
	};
}

/** Gives a function that finds the last failure of a session (`sid`) in the text of the failure log; `null` where there is none. */
export function failuresIn(log: string): (sid: string) => { at: string; where: string; reason: string } | null {
	const lines = log.split("\n");
	return (sid) => {
		const marker = ` ${sid}: `;
		const line = lines.findLast((one) => one.includes(marker));
		if (line === undefined) return null;
		const space = line.indexOf(" ");
		const end = line.indexOf(marker);
		return { at: line.slice(0, space), where: line.slice(space + 1, end), reason: line.slice(end + marker.length) };
	};
}

/** So many calls behind a commit still belong to it: a push, a look at what is left. */
const CALLS_BEHIND_COMMIT = 8;

/** From this share of the way to the trigger on, or from so many tokens, since each message then costs as much. */
const [WORTH_SHARE, WORTH_TOKENS] = [0.6, 300_000];
/** The tokens with which a turn ended at a good moment to compact, where the context is so full that it is worth it; else `undefined`. */
export function momentTokens(state: SessionState, trigger: number | null = null): number | undefined {
	const tokens = state.tokens ?? 0;
	const isWorthIt = tokens >= WORTH_TOKENS || (trigger !== null && tokens >= WORTH_SHARE * trigger);
	return isWorthIt && isGoodMoment(state) ? tokens : undefined;
}

/**
 * Whether a turn that has ended is a good moment to compact, by facts alone: in this turn the last edit was committed, and little was done since; nothing
 * runs, no task is open, and the agent's last words hold no question mark. Of 120 ends of turns (`bench/moments.ts`) readers called ten of the eleven
 * so named good, and none bad; of those where a list of tasks was done, five of 22.
 */
export function isGoodMoment(state: SessionState): boolean {
	const { open, backgroundTasks, tasks, files, commits, messages, prose, order } = state;
	const committed = commits.at(-1)?.order ?? -1;
	const lastOrders = [...files.map(({ edited = -1 }) => edited), ...messages.map((message) => message.order)];
	const isCommitted = committed > Math.max(-1, ...lastOrders) && order - committed <= CALLS_BEHIND_COMMIT;
	const runs = Object.keys(open).length + backgroundTasks.length > 0;
	const asks = ["?", "？", "؟"].some((mark) => prose.at(-1)?.text.includes(mark));
	return isCommitted && !runs && !tasks.some(isOpenTask) && !asks;
}

/** What a session left open: its request, its tasks that are not done, the files that it edited and did not commit. `null` where it left nothing. */
export function leftOpen(state: SessionState) {
	const { tasks, files, commits, cwd, branch } = state;
	const open = tasks.filter(isOpenTask).map(({ subject }) => subject);
	const committed = commits.at(-1)?.order ?? -1;
	// (without git nothing is ever committed)
	const uncommitted = branch ? files.filter(({ edits, edited = -1 }) => edits > 0 && edited > committed) : [];
	if (open.length + uncommitted.length === 0) return null;
	const paths = uncommitted.map(({ path }) => relativePath(path, cwd));
	const request = lastRequest(state)?.text ?? "";
	const [tasksShown, filesShown] = [open.slice(-3), paths.slice(-4)].map((all) => all.map(quoteShort));
	return {
		request: quoteShort(request),
		tasks: tasksShown!,
		taskCount: open.length,
		files: filesShown!,
		fileCount: paths.length,
	};
}

/** The line that goes on with a session's work in a new one, without what its compactions blurred. `id`: its id, or the beginning of it. */
export const freshStart = (id: string): string =>
	`ccg show ${id} --as handoff --out HANDOFF.md && claude "Go on with the work in HANDOFF.md"`;

/** Words of others as one short quotation. */
const quoteShort = (words: string): string => inBackticks(truncate(oneLine(words), 100));

/** The same in two lines: when, what was asked, what is open; and how to go on. `at`: ISO 8601. */
export function leftOpenText(
	{ session, at, left }: { session: string; at: string; left: NonNullable<ReturnType<typeof leftOpen>> },
	now: string,
	command: string,
): string {
	const { request, tasks, taskCount, files, fileCount } = left;
	const open = [
		...(taskCount > 0 ? [`${countWithNoun(taskCount, "task")} (${tasks.join(", ")})`] : []),
		...(fileCount > 0
			? [`${countWithNoun(fileCount, "file")} edited and not committed by it (${files.join(", ")})`]
			: []),
	];
	return `ccg: the last session here, ${agoSince(at, now)}, was asked ${request}. Open: ${open.join("; ")}.\nTo go on with it: claude --resume ${session}; what was said: ${command} recall WORDS`;
}
