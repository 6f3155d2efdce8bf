import type { SessionState } from "../state/session-state.ts";
import { chooseTelling } from "./choose.ts";
import type { Item, Kind, Section } from "./item.ts";
import { itemId, lostSections, summaryText } from "./loss.ts";
import { type PackedSection, pack, packed } from "./pack.ts";
import { sectionText } from "./section-text.ts";
import { CERTAIN, SAID } from "./sections.ts";
import { lackOf } from "./summary-lack.ts";
import { tellingWords } from "./telling-words.ts";

/** Where nothing says so many new words in 100 characters, nothing more is given. */
const LEAST_WORDS = 1;

interface Known {
	/** Ids of the items that the recovery block gave. */
	given: ReadonlySet<string>;
	/** `null` when none was seen. */
	summary: string | null;
	/** What Claude Code reads from disk again by itself, normalised. */
	reloaded?: string | undefined;
}

/**
 * What neither the summary nor the recovery block holds, for `room` characters: the user's words and what else must be there
 * first; then what says most that is new, as much as pays beside this summary.
 */
export function missingParts(
	all: readonly Section[],
	state: SessionState,
	{ given, summary, reloaded }: Known,
	room: number,
): PackedSection[] {
	const known = new Set(tellingWords(summary ?? ""));
	const lack = summary === null ? 1 : lackOf(state, summary, known);
	const learn = (items: Iterable<Item>): void => {
		for (const item of items) for (const word of tellingWords(item.words ?? item.text)) known.add(word);
	};
	for (const { kind, items } of all) learn(items.filter((item) => given.has(itemId(kind, item))));
	const lost = lostSections(all, given, summary === null ? null : summaryText(summary), reloaded);
	const said = pack(lost.filter(isDue), room);
	for (const { items } of said) learn(items);
	const left = Math.min(room - charsOf(said), room * lack);
	const { chosen } = chooseTelling(lost.filter(isWork), known, left, LEAST_WORDS);
	const work = [...chosen].map(([section, items]) => packed(section, items));
	return [...said, ...work].sort((a, b) => a.place - b.place);
}

/** That a thing is done is told though its words are known: begun and done are two things. */
const isDue = ({ kind }: { kind: Kind }): boolean => CERTAIN.has(kind) || SAID.has(kind) || kind === "done";
const isWork = (section: Section): boolean => !isDue(section);
const charsOf = (parts: readonly PackedSection[]): number =>
	parts.reduce((sum, part) => sum + sectionText(part).length + 1, 0);
