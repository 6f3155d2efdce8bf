import type { Checkpoint } from "../checkpoint/checkpoint.ts";
import type { Seen } from "../checkpoint/triggers.ts";

/** A compaction that PreCompact prepared for: it proves nothing until SessionStart or a boundary does. `at`: ISO 8601. */
export interface Prepared {
	/** Its checkpoint. */
	key: string;
	at: string;
	trigger: string;
	/** On versions that do not mark a subagent's compaction: it does not look like the main thread's. */
	unconfirmed?: boolean;
	/** The mod prepared for it and injects the block itself. */
	mod?: boolean;
}

/** The compaction that began a cycle, and what was told of it. */
export interface Compaction extends Prepared {
	/** When the block was injected last, in ms since 1970. */
	toldAt?: number;
	/** What was injected right behind the summary. */
	first?: { ids: string[]; chars: number };
	/** The follow-up block has to be injected yet. */
	isDue?: boolean;
	/** The user was told in a line. */
	lineTold?: boolean;
}

/**
 * Where a session stands between one compaction and the next: the one value that says whether the nudge went out, what PreCompact
 * prepared, what was told behind the compaction that began it, and what makes its next checkpoint. Times are ISO 8601.
 */
export interface Cycle {
	/** The folder the session began in, and whether the agent's shell was told of a store that is not the default one. */
	place?: { folder: string; storeTold: boolean };
	nudged?: { at: string; tokens: number };
	/** The user was told of critical pressure. */
	isHaltTold?: boolean;
	/** When a task checkpoint was written at critical pressure: the next change takes it. */
	passAt?: string;
	/** A person lifted the stop; `until` is `null` where that holds to the next compaction. */
	resumed?: true;
	prepared?: Prepared;
	began?: Compaction;
	/** What PostCompact brought, made safe. */
	summary?: { at: string; text: string };
	/** How far the events were looked at for what makes a checkpoint. */
	seen?: Seen;
	/** Subagents that ended since the last wave did. */
	agents?: { id: string; type: string; said: string; at: string }[];
	waves?: NonNullable<Checkpoint["waves"]>;
	/** What was written into the workspace, so that it is known again: anybody may put a file of that name there. */
	workspaceFile?: { folder: string; sha256: string };
}

/** The cycle ends with a compaction: the next rise of the pressure may nudge, warn and stop again. */
export function endCycle(cycle: Cycle): void {
	for (const name of ["nudged", "isHaltTold", "passAt", "resumed"] as const) delete cycle[name];
}

/** The compaction is a fact: what was prepared begins the next cycle. */
export function begin(cycle: Cycle, prepared: Prepared): Compaction {
	const began: Compaction = { ...prepared };
	cycle.began = began;
	delete cycle.prepared;
	endCycle(cycle);
	return began;
}

/** When a compaction began; `""` where SessionStart took the checkpoint, behind the boundary. */
export const begunAt = ({ trigger, at }: Pick<Prepared, "trigger" | "at">): string =>
	/^(?:compact|resume|fork)$/.test(trigger) ? "" : at;

/** When the last compaction took place; ISO time, `""` before the first. Its summary may have been made long before. */
export function compactedAt({ began }: Cycle): string {
	if (!began) return "";
	return began.toldAt === undefined ? began.at : new Date(began.toldAt).toISOString();
}

/** Whether a compaction of this session still needs a checkpoint. */
export const isInUse = ({ prepared, began }: Cycle, key: string): boolean =>
	prepared?.key === key || began?.key === key;

/** Whether the next change may pass a stop that stands since `at`. */
export const mayPass = ({ passAt }: Pick<Cycle, "passAt">, { at }: { at: string }): boolean =>
	passAt !== undefined && passAt >= at;

/** What a measurement and the status line look at; made of the cycle after each change of it. */
export interface Glance extends Pick<Cycle, "nudged" | "isHaltTold" | "resumed"> {
	/** Names the cycle; `""` before the first compaction. */
	cycle: string;
	/** When the compaction that began it was told. */
	compactedAt: string;
}

export function glanceOf(cycle: Cycle): Glance {
	const { nudged, isHaltTold, resumed, began } = cycle;
	return {
		cycle: began ? `${began.key} ${began.toldAt ?? ""}` : "",
		compactedAt: compactedAt(cycle),
		...(nudged && { nudged }),
		...(isHaltTold && { isHaltTold }),
		...(resumed && { resumed }),
	};
}
