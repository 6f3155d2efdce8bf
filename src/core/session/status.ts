import type { Pressure } from "../pressure/pressure.ts";
import { type Cycle, compactedAt, type KnownCycle, mayPass } from "./cycle.ts";

/** What Claude Code was started with; `pid` where it is kept. */
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
	/** The cycle as the store had it when its database was like `stamp` (`knownCycle`). */
	cycle: KnownCycle;
	stamp: string | null;
}

/** Of a stop that stands since `halt`. `free`: a checkpoint was written, so one change may pass. `lifted`: by a person, until the next compaction. */
export function haltStatus(
	halt: string | null,
	cycle: Cycle,
	mode: string,
): "idle" | "critical" | "held back" | "free" | "lifted" {
	if (mode === "off") return "idle";
	if (cycle.resumed) return "lifted";
	// measured before a compaction, written after it: the halt gate takes it for none
	const stands = halt !== null && compactedAt(cycle) <= halt;
	if (mode !== "enforce") return stands || cycle.isHaltTold ? "critical" : "idle";
	if (!stands) return "idle";
	return mayPass(cycle, halt) ? "free" : "held back";
}

/** What the store keeps of a session, to be told. */
export interface KeptOfSession {
	/** Its last measurement. */
	read: Partial<UsageRecord>;
	cycle: Cycle;
	/** Of its record: why it ended, what its transcript does not tell. */
	about: { ended?: string; unclear?: string | undefined };
	/** Its newest checkpoint. */
	latest: { key: string; path: string; at: string } | null;
}

/** What a session's last measurement, cycle and checkpoint tell. Unknown values are `null`; times in ISO 8601. */
export function describeSession({ read, cycle, about, latest }: KeptOfSession) {
	// what was measured before a compaction says nothing of the context behind it, as `ccg task` has it too
	const isOver = compactedAt(cycle) > (read.at ?? "");
	const usage = isOver ? { ...read, tokens: null, distance: null, zone: undefined } : read;
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
		ended: about.ended || null,
		/** What its transcript does not tell, or that there is none where a prompt was heard; else `null`. */
		unclear: about.unclear ?? null,
		checkpoint: latest && { ...latest, state: stateOf(latest.key) },
	};
}

/** Tells of a session what stands last about it in the lines of the log; `null` without one. */
export function failuresIn(log: string): (sid: string) => { at: string; where: string; reason: string } | null {
	const lines = log.split("\n");
	return (sid) => {
		const about = ` ${sid}: `;
		const line = lines.findLast((one) => one.includes(about));
		if (line === undefined) return null;
		const from = line.indexOf(" ");
		const to = line.indexOf(about);
		return { at: line.slice(0, from), where: line.slice(from + 1, to), reason: line.slice(to + about.length) };
	};
}
