import type * as z from "zod/mini";
import type { Checkpoint } from "./checkpoint.ts";
import { type Claim, claimsIn } from "./claims.ts";
import type { Item, Kind, Section } from "./item.ts";
import { summarisedPart } from "./kept.ts";
import { type Fate, fateOf, isReloaded, itemId, summaryText } from "./loss.ts";
import { keptInOwnWords, STATEMENTS, summaryWords } from "./own-words.ts";
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
	given: { ids: ReadonlySet<string>; chars: LossReport["injectedChars"] },
	claims: Claim[],
	reloaded = "",
): LossReport {
	const { state, workspace, projectDir, kept } = checkpoint;
	const text = summaryText(summary ?? "");
	const words = summaryWords(summary ?? "");
	const fate = (kind: Kind, item: Item): Fate => {
		const strict = fateOf(item, text);
		return strict === "dropped" && STATEMENTS.has(kind) && keptInOwnWords(item, words) ? "reworded" : strict;
	};
	const kinds: LossReport["kinds"] = {};
	for (const section of sectionsOf(state, workspace, false, projectDir || state.cwd, { kept })) {
		// what ccg says of the moment is nothing a summary could keep
		if (section.items.length && section.kind !== "state")
			kinds[section.kind] = kindLoss(section, (item) => fate(section.kind, item), given.ids, reloaded);
	}
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

function kindLoss(
	{ kind, items }: Section,
	fate: (item: Item) => Fate,
	given: ReadonlySet<string>,
	reloaded: string,
): KindLoss {
	const none = { verbatim: 0, reworded: 0, dropped: 0, injected: 0, droppedBack: 0, reloaded: 0 };
	const loss: KindLoss = { total: items.length, ...none, lines: [] };
	for (const item of items) {
		const how = fate(item);
		loss[how]++;
		if (how === "verbatim") continue;
		const injected = given.has(itemId(kind, item));
		const comesBack = !injected && isReloaded(kind, item, reloaded);
		if (injected) loss.injected++;
		if (comesBack) loss.reloaded++;
		if (how === "dropped" && (injected || comesBack)) loss.droppedBack++;
		if (loss.lines.length < LISTED) loss.lines.push({ text: item.text, fate: comesBack ? "reloaded" : how, injected });
	}
	return loss;
}
