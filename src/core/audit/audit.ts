import { type Fate, fateOf, isReloaded, itemId, summaryText } from "../block/lost.ts";
import { sectionsOf } from "../block/sections.ts";
import { situationOf, summarisedPart } from "../block/situation.ts";
import type { Checkpoint } from "../checkpoint/checkpoint.ts";
import type { Claim } from "../claims/deeds.ts";
import { oneLine } from "../text/text.ts";
import { claimsIn } from "./claims.ts";
import { saidFate, saidIn, soughtText } from "./said.ts";

/** How things came through a compaction: each is counted once. */
export interface Fates {
	total: number;
	verbatim: number;
	/** Kept, but in the summary's own words. */
	reworded: number;
	/** Not in the summary, but injected, or read from disk again by itself. */
	back: number;
	/** Not in the summary; comes with the follow-up block. */
	later: number;
	/** Neither in the summary nor back. */
	lost: number;
}

/** How one kind of item came through. `lines` are those not kept word for word, as they stand in the checkpoint. */
export interface KindLoss extends Fates {
	lines: { text: string; fate: Exclude<keyof Fates, "total" | "verbatim"> }[];
}

/** What a compaction kept and lost, and what came back. */
export interface LossReport extends Pick<Checkpoint, "key" | "at" | "session" | "trigger"> {
	version: 1;
	tokensBefore: number | null;
	/** `null` where no summary was seen. */
	summaryChars: number | null;
	/** Characters injected right behind the summary, and later. */
	injectedChars: { block: number; followUp: number };
	/** By the kind of section; what the user said stands under `message` and `decision`. */
	kinds: Record<string, KindLoss>;
	claims: Claim[];
}

/**
 * What a compaction kept and lost of a session, and what came back. `summary` is `null` when none was seen; `ids` are the items
 * injected right behind it, `later` those that come with the next call; `reloaded` comes back from disk by itself.
 */
export function audit(
	checkpoint: Checkpoint,
	summary: string | null,
	{
		ids,
		later = new Set(),
		chars,
	}: { ids: ReadonlySet<string>; later?: ReadonlySet<string>; chars: LossReport["injectedChars"] },
	claims: Claim[],
	reloaded = "",
): LossReport {
	const of = situationOf({ ...checkpoint, base: checkpoint.projectDir });
	const sections = sectionsOf("block", of);
	const text = summaryText(summary ?? "");
	const sought = soughtText(summary ?? "");
	const kinds: LossReport["kinds"] = {};
	const add = (kind: string, line: string, fate: Fate, isBack: boolean, isLater: boolean): void => {
		kinds[kind] ??= { total: 0, verbatim: 0, reworded: 0, back: 0, later: 0, lost: 0, lines: [] };
		const became = fate !== "dropped" ? fate : isBack ? "back" : isLater ? "later" : "lost";
		const loss = kinds[kind];
		loss.total++;
		loss[became]++;
		if (became !== "verbatim" && loss.lines.length < LISTED) loss.lines.push({ text: line, fate: became });
	};
	/** Orders of what the user said that was injected, whole or in part: now, and later. */
	const saidNow = new Set<number>();
	const saidLater = new Set<number>();
	for (const { kind, items, said } of sections)
		for (const item of items) {
			const id = itemId(kind, item);
			if (said && ids.has(id)) saidNow.add(Math.floor(item.order));
			if (said && later.has(id)) saidLater.add(Math.floor(item.order));
			if (!said && !UNCOUNTED.has(kind)) add(kind, item.text, fateOf(item, text), ids.has(id), later.has(id));
		}
	for (const { kind, text: words, order, taken } of saidIn(of.state)) {
		const fate = summary === null ? "dropped" : saidFate(words, sought, taken);
		const item = { text: `- "${oneLine(words)}"`, words, order };
		// what is read again counts where it was not injected
		const isBack = saidNow.has(order) || (!saidLater.has(order) && isReloaded("message", item, reloaded));
		if (fate) add(kind, item.text, fate, isBack, saidLater.has(order));
	}
	const { key, at, session, trigger, state } = checkpoint;
	return {
		...{ version: 1, key, at, session, trigger },
		tokensBefore: state.tokens,
		summaryChars: summary?.length ?? null,
		injectedChars: chars,
		...{ kinds, claims },
	};
}

/** Lines of one kind that a report lists, the best ranked. */
const LISTED = 60;
/** What ccg says of the moment, and what no summary is to keep: each command, file read and sentence of the agent's. */
const UNCOUNTED = new Set(["state", "command", "check", "file read", "finding"]);

/** What a summary says without support: neither in what it could know, nor in what came since. */
export function claimsOf({ state, kept }: Checkpoint, summary: string): Claim[] {
	const known = claimsIn(summary, summarisedPart(state, kept));
	if (!kept?.length) return known;
	const since = new Set(claimsIn(summary, state).map(({ sentence }) => sentence));
	return known.filter(({ sentence }) => since.has(sentence));
}

/** The report once the follow-up block was injected: nothing is to come any more. */
export const withFollowUp = <T extends Pick<LossReport, "kinds">>(report: T): T => ({
	...report,
	kinds: Object.fromEntries(
		Object.entries(report.kinds).map(([kind, { back, later, lines, ...loss }]) => {
			const come = lines.map((line) => (line.fate === "later" ? { ...line, fate: "back" as const } : line));
			return [kind, { ...loss, back: back + later, later: 0, lines: come }];
		}),
	),
});
