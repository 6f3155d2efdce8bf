import { asImported } from "../checkpoint/imported.ts";
import * as whole from "./document-items.ts";
import { findingItems, joinedFindings } from "./findings.ts";
import type { Item, Place, Section, Traits } from "./item.ts";
import * as said from "./said.ts";
import type { Situation, View } from "./situation.ts";
import { stoodItems } from "./stood.ts";
import * as work from "./work.ts";

/** By view: where it stands, under which heading, and how. */
type Places = Partial<Record<View, [at: number, heading: string, more?: Partial<Place>]>>;

const entry = (kind: string, traits: Traits, items: (of: Situation) => Item[], places: Places) => ({
	kind,
	traits,
	items,
	places,
});

/** The user's words stand in one list, in order of time; behind it the last of them, which is the request. */
export const USERS_WORDS = "The user's words, in order of time (verbatim)";
const ALL_WORDS = "The user's words, in order of time";
const STOOD = "Where things stood";
const FOUND = "(its own words, in order; … where some are left out)";
const LEFT = "What is left";
/** What is left stands in both texts for those who go on. */
const left = (at: number, more: Partial<Place> = {}): Places => ({
	handoff: [at, LEFT, more],
	"pull request": [at, LEFT, more],
});
const UNCHECKED = { none: "No test, build or run with a result was seen." };
const LISTED = { lead: "- ", most: 60 };
const NAMED = { between: ", ", most: 200 };

/**
 * Everything that ccg tells of a session, once: the most important first, as a block's budget is shared. Quoted text is the user's own;
 * everything else is named as what it is. A new section is one entry here.
 */
const TABLE = [
	entry("request", { share: 0.25, said: true }, said.requestItems, {
		block: [1.5, "Request at hand (the user's last message, verbatim)"],
	}),
	entry("directive", { share: 0.6, said: true }, said.directiveItems, {
		block: [1, USERS_WORDS],
		handoff: [2, ALL_WORDS, { most: 100, none: "Nothing else was recorded." }],
	}),
	entry("state", { share: 0.25, certain: true }, stoodItems, { block: [2, STOOD], handoff: [4, STOOD] }),
	entry("decision", { share: 0.2, said: true }, said.decisionItems, {
		block: [1, USERS_WORDS],
		handoff: [2, ALL_WORDS, { most: 40 }],
	}),
	entry("unclear", { share: 0.1, certain: true }, work.unclearItems, {
		block: [3.5, "Unclear who said this (the transcript does not tell)"],
	}),
	entry("question", { share: 0.05, certain: true }, said.questionItems, {
		block: [4, "Open questions of the agent to the user"],
		...left(7.3, { lead: "- open question to the user: " }),
	}),
	entry("background task", { share: 0.1, certain: true, verbatim: true }, work.backgroundItems, {
		block: [5, "Running or scheduled when this was saved"],
		handoff: [4.2, STOOD, { lead: "- running: " }],
	}),
	entry("plan", { share: 0.15, certain: true }, work.planItems, { block: [6, "Plan and tasks"], ...left(7.1) }),
	entry("message", { share: 0.35, said: true }, said.messageItems, {
		block: [1, USERS_WORDS],
		handoff: [2, ALL_WORDS, { most: 40 }],
	}),
	entry("finding", { share: 0.3, joined: joinedFindings }, findingItems, {
		block: [7, `What the agent said ${FOUND}`],
		handoff: [6, `What the agent found ${FOUND}`, { most: 25 }],
	}),
	entry("failure", { share: 0.1 }, work.failureItems, { block: [13, "Failures"], ...left(7.4) }),
	entry("file changed", { share: 0.12, verbatim: true }, work.changedItems, {
		block: [9, "Files changed (edits)", NAMED],
		handoff: [9, "Files changed", LISTED],
		"pull request": [4, "Files", LISTED],
	}),
	entry("file read", { share: 0.08, worth: 0.5, verbatim: true }, work.readItems, {
		block: [10, "Files read", NAMED],
	}),
	entry("commit", { share: 0.05, verbatim: true }, work.commitItems, {
		block: [8, "Done"],
		handoff: [8, "What is done"],
		"pull request": [1, "What", { none: "Nothing was committed yet." }],
	}),
	entry("done", {}, work.doneItems, {
		document: [8, "Done"],
		handoff: [8, "What is done"],
		"pull request": [1, "What"],
	}),
	entry("workspace", { share: 0.08 }, work.workspaceItems, { block: [15, "Workspace"], handoff: [4.1, STOOD] }),
	entry("command", { share: 0.06 }, work.commandItems, { block: [12, "Commands"] }),
	entry("assumption", { share: 0.03 }, work.assumptionItems, { block: [14, "Assumptions the agent stated"] }),
	entry("models", {}, whole.modelItems, { document: [15, "Workspace"] }),
	entry("limits", {}, whole.limitItems, { document: [-1, "", { between: "\n\n" }] }),
	entry("plan text", {}, whole.planTextItems, { document: [20, "Plan text"] }),
	entry("long message", {}, whole.longMessageItems, { document: [21, "Long messages of the user (verbatim)"] }),
	entry("last words", {}, whole.lastWordItems, { document: [22, "The agent's last words"] }),
	entry("asked", {}, said.askedItems, { handoff: [1, "Request", { between: "\n\n" }] }),
	entry("change", { own: true }, whole.changeItems, { handoff: [3, "Not as it was then", { most: 40 }] }),
	entry("task decision", {}, work.taskDecisionItems, {
		handoff: [5, "Decisions of the task, with their reasons"],
		"pull request": [3, "Decisions"],
	}),
	entry("decided", {}, said.decidedItems, { "pull request": [3.1, "Decisions"] }),
	entry("why", {}, said.whyItems, { "pull request": [2, "Why", { none: "No request was recorded." }] }),
	entry("next", {}, work.nextItems, left(7, { none: "Nothing was recorded as open." })),
	entry("blocker", {}, work.blockerItems, left(7.2)),
	entry("check", {}, work.checkItems, {
		handoff: [10, "How to check it", UNCHECKED],
		"pull request": [5, "How it was checked", UNCHECKED],
	}),
	entry("more", { own: true }, whole.moreItems, { handoff: [11, "To go on"] }),
];

/** The sections of a view, the most important first; `only` those that are certain or the user's own words. */
export function sectionsOf(view: View, of: Situation, only?: "certain"): Section[] {
	const isWhole = view === "document";
	return TABLE.flatMap(({ kind, traits, items, places }) => {
		const place = places[view] ?? (isWhole ? places.block : undefined);
		if (!place || (only && !traits.certain && !traits.said)) return [];
		const [at, heading, more] = place;
		const led = (item: Item): Item => (more?.lead ? { ...item, text: more.lead + item.text.replace(/^- /, "") } : item);
		return [fromFile({ kind, ...traits, at, heading, ...more, items: items(of).map(led) }, of)];
	});
}

/** A section of a checkpoint that was imported: no heading says whose words they are, and each line is told as the file's. */
function fromFile(section: Section, { checkpoint }: Situation): Section {
	const imported = checkpoint?.imported;
	if (!imported || section.own) return section;
	const { joined: _, between: __, none, ...rest } = section;
	return {
		...rest,
		heading: `From the file: ${section.kind}`,
		...(none && { none: asImported(none, imported) }),
		items: section.items.map((item) => ({
			...item,
			text: asImported(item.text, imported),
			...(item.short && { short: asImported(item.short, imported) }),
		})),
	};
}
