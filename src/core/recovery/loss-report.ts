import type { Checkpoint } from "./checkpoint.ts";
import { type Claim, unsupportedClaims } from "./claims.ts";
import type { Kind, Section } from "./item.ts";
import { fateOf, isReloaded, itemId, summaryText } from "./loss.ts";
import { sectionsOf } from "./sections.ts";

/** How one kind of item came through. `lines` are the dropped ones as they stand in the checkpoint. */
export interface KindLoss {
	total: number;
	verbatim: number;
	reworded: number;
	dropped: number;
	/** Of those not kept word for word. */
	givenBack: number;
	/** Of those: Claude Code reads them from disk again by itself. */
	reloaded: number;
	lines: { text: string; fate: "reworded" | "dropped" | "reloaded"; givenBack: boolean }[];
}

/** What a compaction kept and lost, and what came back. */
export interface LossReport {
	version: 1;
	key: string;
	at: string;
	session: string;
	trigger: string;
	tokensBefore: number | null;
	summaryChars: number | null;
	/** Characters given right behind the summary, and later. */
	givenChars: { block: number; later: number };
	kinds: Partial<Record<Kind, KindLoss>>;
	claims: Claim[];
}

/** Names fill thousands of lines that nobody reads; those the report lists are the best ranked. */
const LISTED = 60;

/** `given` is what was given back; `summary` is `null` when none was seen; `reloaded` is what comes back from disk by itself. */
export function lossReport(
	checkpoint: Checkpoint,
	summary: string | null,
	given: { ids: ReadonlySet<string>; chars: LossReport["givenChars"] },
	claims: Claim[],
	reloaded = "",
): LossReport {
	const text = summaryText(summary ?? "");
	const kinds: LossReport["kinds"] = {};
	for (const section of sectionsOf(checkpoint.state, checkpoint.workspace)) {
		if (section.items.length)
			kinds[section.kind] = kindLoss(section, (item) => fateOf(item, text, section.kind), given.ids, reloaded);
	}
	const { key, at, session, trigger, state } = checkpoint;
	return {
		version: 1,
		key,
		at,
		session,
		trigger,
		tokensBefore: state.tokens,
		summaryChars: summary?.length ?? null,
		givenChars: given.chars,
		kinds,
		claims,
	};
}

/** What a summary says of the user without a source in this checkpoint. */
export function claimsOf({ state }: Checkpoint, summary: string): Claim[] {
	const { messages, decisions, dropped, partial } = state;
	const isWhole =
		!partial && !dropped.messages && !dropped.decisions && !decisions.some(({ words }) => CUT.test(words));
	return unsupportedClaims(summary, messages, decisions, isWhole);
}
const CUT = /\[…\d+ more characters\]$/;

function kindLoss(
	{ kind, items }: Section,
	fate: (item: Section["items"][number]) => ReturnType<typeof fateOf>,
	given: ReadonlySet<string>,
	reloaded: string,
): KindLoss {
	const none = { verbatim: 0, reworded: 0, dropped: 0, givenBack: 0, reloaded: 0 };
	const loss: KindLoss = { total: items.length, ...none, lines: [] };
	for (const item of items) {
		const how = fate(item);
		loss[how]++;
		if (how === "verbatim") continue;
		const givenBack = given.has(itemId(kind, item));
		const comesBack = !givenBack && isReloaded(kind, item, reloaded);
		if (givenBack) loss.givenBack++;
		if (comesBack) loss.reloaded++;
		if (loss.lines.length < LISTED) loss.lines.push({ text: item.text, fate: comesBack ? "reloaded" : how, givenBack });
	}
	return loss;
}

/** One line for the daily log. */
export function reportLine({ kinds, trigger, givenChars, claims }: LossReport): string {
	const count = (name: "verbatim" | "dropped" | "reworded" | "givenBack" | "total", ...of: Kind[]): number =>
		of.reduce((sum, kind) => sum + (kinds[kind]?.[name] ?? 0), 0);
	const words: Kind[] = ["request", "directive", "decision", "message"];
	const lost = count("dropped", ...words) + count("reworded", ...words);
	return (
		`compaction (${/^\w{1,20}$/.test(trigger) ? trigger : "unknown"}): of ${count("total", ...words)} statements of the user the summary kept ${count("verbatim", ...words)} ` +
		`word for word, ${lost} were lost, ${count("givenBack", ...words)} given back (${givenChars.block + givenChars.later} characters)` +
		`${claims.length ? `; ${claims.length} claims about the user without a source` : ""}`
	);
}
