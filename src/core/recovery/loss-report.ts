import type * as z from "zod/mini";
import { oneLine } from "../text/text.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { type Claim, claimsIn } from "./claims.ts";
import type { Item, Kind } from "./item.ts";
import { summarisedPart } from "./kept.ts";
import { type Fate, fateOf, isReloaded, itemId, summaryText } from "./loss.ts";
import { ordersGiven, STATEMENTS, saidIn, saidLine } from "./said.ts";
import { saidFate, soughtText } from "./said-fate.ts";
import { sectionsOf } from "./sections.ts";
import type * as stored from "./stored-shapes.ts";

export type KindLoss = z.infer<typeof stored.kindLoss>;
export type LossReport = z.infer<typeof stored.lossReport>;

/** Names fill thousands of lines that nobody reads; those the report lists are the best ranked. */
const LISTED = 60;

/** `given` is what was injected; `summary` is `null` when none was seen; `reloaded` comes back from disk by itself. */
export function lossReport(
	checkpoint: Checkpoint,
	summary: string | null,
	given: Given,
	claims: Claim[],
	reloaded = "",
): LossReport {
	const { state, workspace, projectDir, kept } = checkpoint;
	const text = summaryText(summary ?? "");
	const sections = sectionsOf(state, workspace, false, projectDir || state.cwd, { kept });
	const fates = new Map<Kind, ItemFate[]>();
	// what stands under "Where things stood" is back, also as the command or the finding that it is
	const stood = sections
		.flatMap(({ kind, items }) => (kind === "state" ? items.filter((one) => given.ids.has(itemId(kind, one))) : []))
		.map(({ text }) => oneLine(text))
		.join("\n");
	const isGiven = (kind: Kind, item: Item, ids: ReadonlySet<string>): boolean =>
		ids.has(itemId(kind, item)) ||
		(ids === given.ids && stood.includes(oneLine(item.text).replace(/^- [a-z ]{1,20}: /, "")));
	for (const { kind, items } of sections) {
		// what ccg says of the moment is nothing a summary could keep
		if (items.length === 0 || kind === "state" || STATEMENTS.has(kind)) continue;
		fates.set(
			kind,
			items.map((item) => ({
				text: item.text,
				fate: fateOf(item, text),
				given: whenGiven(given, (ids) => isGiven(kind, item, ids)),
				reloaded: isReloaded(kind, item, reloaded),
			})),
		);
	}
	const sought = soughtText(summary ?? "");
	const orders = (ids: ReadonlySet<string>) =>
		ordersGiven(sections, state, (kind, item) => ids.has(itemId(kind, item)));
	const [now, later] = [orders(given.ids), orders(given.later ?? new Set())];
	for (const said of saidIn(summarisedPart(state, kept))) {
		const fate = summary === null ? "dropped" : saidFate(said.text, sought, said.taken);
		if (fate === null) continue;
		const item = { text: saidLine(said), words: said.text, order: said.order };
		fates.set(said.kind, [
			...(fates.get(said.kind) ?? []),
			{
				text: item.text,
				fate,
				given: now.has(said.order) ? "now" : later.has(said.order) ? "later" : null,
				reloaded: isReloaded("message", item, reloaded),
			},
		]);
	}
	const kinds: LossReport["kinds"] = {};
	for (const [kind, all] of fates) kinds[kind] = kindLoss(all);
	const { key, at, session, trigger } = checkpoint;
	return {
		version: 1,
		key,
		at,
		session,
		trigger,
		tokensBefore: state.tokens,
		summaryChars: summary?.length ?? null,
		injectedChars: given.chars,
		kinds,
		claims,
	};
}

/** What a summary says without support: neither in what it could know, nor in what came since. */
export function claimsOf({ state, kept }: Checkpoint, summary: string): Claim[] {
	const known = claimsIn(summary, summarisedPart(state, kept));
	const since = new Set(kept?.length ? claimsIn(summary, state).map(({ sentence }) => sentence) : []);
	return kept?.length ? known.filter(({ sentence }) => since.has(sentence)) : known;
}

interface Given {
	ids: ReadonlySet<string>;
	/** Ids of what the follow-up block gives, which comes with the next call. */
	later?: ReadonlySet<string>;
	chars: LossReport["injectedChars"];
}

interface ItemFate {
	text: string;
	fate: Fate;
	given: "now" | "later" | null;
	reloaded: boolean;
}

const whenGiven = ({ ids, later }: Given, isIn: (ids: ReadonlySet<string>) => boolean): ItemFate["given"] =>
	isIn(ids) ? "now" : later && isIn(later) ? "later" : null;

function kindLoss(all: readonly ItemFate[]): KindLoss {
	const none = { verbatim: 0, reworded: 0, dropped: 0, injected: 0, droppedBack: 0, reloaded: 0, later: 0 };
	const loss: KindLoss = { total: all.length, ...none, lines: [] };
	for (const { text, fate, given, reloaded } of all) {
		loss[fate]++;
		if (fate === "verbatim") continue;
		const comesBack = !given && reloaded;
		if (given) loss.injected++;
		if (comesBack) loss.reloaded++;
		if (fate === "dropped" && (given || comesBack)) loss.droppedBack++;
		if (fate === "dropped" && given === "later") loss.later++;
		const isLater = given === "later" && { later: true as const };
		if (loss.lines.length < LISTED)
			loss.lines.push({ text, fate: comesBack ? "reloaded" : fate, injected: given !== null, ...isLater });
	}
	return loss;
}

/** The report once the follow-up block was injected: nothing is to come any more. */
export const withFollowUp = <T extends Pick<LossReport, "kinds">>(report: T): T => ({
	...report,
	kinds: Object.fromEntries(
		Object.entries(report.kinds).map(([kind, loss]) => [
			kind,
			{ ...loss, later: 0, lines: loss.lines.map(({ later: _, ...line }) => line) },
		]),
	),
});
