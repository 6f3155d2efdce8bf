import { quoteImported } from "../checkpoint/reports.ts";
import * as whole from "./document-items.ts";
import type { Item, Place, Section, Traits } from "./item.ts";
import { withoutListDash } from "./item.ts";
import * as said from "./said.ts";
import type { SectionFacts, View } from "./situation.ts";
import * as stood from "./stood.ts";
import * as work from "./work.ts";

/** Of each view that shows a section: the section's position there, its heading, and further options. */
type Places = Partial<Record<View, [position: number, heading: string, options?: Partial<Place>]>>;
/** One row of the table: a section's kind, its traits, the function that makes its items, and its places by view. */
function sectionRow(
	kind: string,
	traits: Traits,
	makeItems: (facts: SectionFacts, maxChars?: number) => Item[],
	places: Places,
) {
	return { kind, traits, makeItems, places };
}

const REQUEST = "Request at hand (the user's last message, verbatim)";
const USERS_WORDS = "The user's words before it, in order of time (verbatim)";
const STOOD = "Where it stood";
const AGENT = "The agent's last words";
const PLAN = "Plan and open tasks";
const CALLS = "The newest calls";
const REMAINING = "What is left";
/** The places of a section under "What is left", in the two texts for people who go on with the work. */
const remainingPlaces = (position: number, options: Partial<Place> = {}): Places => ({
	handoff: [position, REMAINING, options],
	"pull request": [position, REMAINING, options],
});
const USERS_WORDS_ROOM = { maxChars: said.USERS_WORDS_CHARS + 100, reservedChars: 2_400 };
const LISTED = { itemPrefix: "- ", maxItems: 60 };
const NAMED = { separator: ", ", maxItems: 200 };

/**
 * Every section that ccg shows of a session, the most important first, as a block's budget is shared in this order. Quoted text is the
 * user's own; everything else is named as what it is. A new section is one entry here. A place's number orders printing only; a section
 * without a place for "document" has there the place of "block".
 */
const SECTIONS = [
	sectionRow("request", { isUsersWords: true }, said.requestItems, { block: [1, REQUEST, { separator: "\n\n" }] }),
	sectionRow("since", { maxChars: 1_200, isUsersWords: true }, said.laterDecisionItems, {
		block: [1.5, "Since then the user"],
		handoff: [2.5, "Since the last message the user"],
	}),
	sectionRow("state", { maxChars: 900 }, stood.progressItems, { block: [2, STOOD], handoff: [4, STOOD] }),
	sectionRow("agent", { maxChars: 2_500 }, stood.agentTextItems, {
		block: [2.1, `${AGENT} (Markdown, behind |)`, { separator: "\n|\n" }],
		handoff: [4.3, AGENT, { separator: "\n|\n" }],
	}),
	sectionRow("call", { maxChars: 1_500 }, stood.callItems, { block: [2.2, CALLS], handoff: [4.4, CALLS] }),
	sectionRow("plan", { maxChars: 2_000 }, work.planItems, { block: [3, PLAN], ...remainingPlaces(7.1) }),
	sectionRow("question", { maxChars: 600 }, said.questionItems, {
		block: [3.1, "Open questions of the agent to the user"],
		...remainingPlaces(7.3, { itemPrefix: "- open question to the user: " }),
	}),
	sectionRow("background task", { maxChars: 800 }, work.backgroundItems, {
		block: [3.2, "Running or scheduled when this was saved"],
		handoff: [4.2, STOOD, { itemPrefix: "- running: " }],
	}),
	sectionRow("unclear", { maxChars: 400 }, work.unknownSpeakerItems, {
		block: [3.3, "Unclear who said this (the transcript does not tell)"],
	}),
	sectionRow("said", { ...USERS_WORDS_ROOM, isRemadeToFit: true, isUsersWords: true }, said.usersWordsItems, {
		block: [4, USERS_WORDS],
		handoff: [2, "The user's words, in order of time", { maxItems: 140, emptyText: "Nothing else was recorded." }],
	}),
	sectionRow("failure", {}, work.failureItems, { document: [13, "Calls that failed"] }),
	sectionRow("file changed", {}, work.changedFileItems, {
		document: [9, "Files changed (edits)", NAMED],
		handoff: [9, "Files changed", LISTED],
		"pull request": [4, "Files", LISTED],
	}),
	sectionRow("file read", {}, work.readFileItems, { document: [10, "Files read", NAMED] }),
	sectionRow("commit", {}, work.commitItems, {
		document: [8, "Done"],
		handoff: [8, "What is done"],
		"pull request": [1, "What"],
	}),
	sectionRow("done", {}, work.doneTaskItems, {
		document: [8, "Done"],
		handoff: [8, "What is done"],
		"pull request": [1, "What"],
	}),
	sectionRow("workspace", {}, work.workspaceItems, { document: [15, "Workspace"], handoff: [4.1, STOOD] }),
	sectionRow("models", {}, whole.modelAgeItems, { document: [15, "Workspace"] }),
	sectionRow("limits", {}, whole.leftOutItems, { document: [-1, "", { separator: "\n\n" }] }),
	sectionRow("plan text", {}, whole.planTextItems, { document: [20, "Plan text"] }),
	sectionRow("long message", {}, whole.longMessageItems, { document: [21, "Long messages of the user (verbatim)"] }),
	sectionRow("asked", {}, said.handoffRequestItems, { handoff: [1, "Request", { separator: "\n\n" }] }),
	sectionRow("change", {}, whole.changeItems, { handoff: [3, "Not as it was then", { maxItems: 40 }] }),
	sectionRow("task decision", {}, work.taskDecisionItems, {
		handoff: [5, "Decisions of the task, with their reasons"],
		"pull request": [3, "Decisions"],
	}),
	sectionRow("decided", {}, said.decisionItems, { "pull request": [3.1, "Decisions"] }),
	sectionRow("why", {}, said.reasonItems, { "pull request": [2, "Why"] }),
	sectionRow("next", {}, work.nextStepItems, remainingPlaces(7)),
	sectionRow("blocker", {}, work.blockerItems, remainingPlaces(7.2)),
	sectionRow("more", {}, whole.furtherCommandItems, { handoff: [11, "To go on"] }),
];

/** Makes the sections of a view, the most important first. In an imported text no heading says whose words stand below it. */
export function viewSections(view: View, facts: SectionFacts): Section[] {
	const imported = facts.checkpoint?.imported;
	return SECTIONS.flatMap(({ kind, traits, makeItems, places }) => {
		const place = places[view] ?? (view === "document" ? places.block : undefined);
		if (!place) return [];
		const [position, heading, options] = place;
		const prefix = options?.itemPrefix;
		const viewText = (text: string): string => quoteImported(prefix ? prefix + withoutListDash(text) : text, imported);
		const viewItems = (maxChars?: number): Item[] =>
			makeItems(facts, maxChars).map((item) => ({ ...item, text: viewText(item.text) }));
		const remakeItems = traits.isRemadeToFit && { remakeItems: viewItems };
		const section = { kind, ...traits, position, heading, ...options, items: viewItems(), ...remakeItems };
		return [imported ? { ...section, heading: kind, separator: "\n" } : section];
	});
}
