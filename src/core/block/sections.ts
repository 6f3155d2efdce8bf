import { asImported } from "../checkpoint/imported.ts";
import * as whole from "./document-items.ts";
import { findingItems } from "./findings.ts";
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
const USERS_WORDS = "The user's words, in order of time (verbatim)";
const ALL_WORDS = "The user's words, in order of time";
const STOOD = "Where things stood";
const FOUND = "What the agent found (its own words, in order of time)";
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
	entry("request", { room: 1_500, said: true }, said.requestItems, {
		block: [0.5, "Request at hand (the user's last message, verbatim)"],
	}),
	entry("directive", { room: 3_000, said: true }, said.directiveItems, {
		block: [1, USERS_WORDS],
		handoff: [2, ALL_WORDS, { most: 100, none: "Nothing else was recorded." }],
	}),
	entry("state", { room: 1_600, certain: true }, stoodItems, { block: [2, STOOD], handoff: [4, STOOD] }),
	entry("decision", { room: 700, said: true }, said.decisionItems, {
		block: [1, USERS_WORDS],
		handoff: [2, ALL_WORDS, { most: 40 }],
	}),
	entry("unclear", { room: 400, certain: true }, work.unclearItems, {
		block: [1.5, "Unclear who said this (the transcript does not tell)"],
	}),
	entry("background task", { room: 700, certain: true, verbatim: true }, work.backgroundItems, {
		block: [3, "Running or scheduled when this was saved"],
		handoff: [4.2, STOOD, { lead: "- running: " }],
	}),
	entry("plan", { room: 700, certain: true }, work.planItems, { block: [4, "Plan and open tasks"], ...left(7.1) }),
	entry("question", { room: 300, certain: true }, said.questionItems, {
		block: [4.5, "Open questions of the agent to the user"],
		...left(7.3, { lead: "- open question to the user: " }),
	}),
	entry("finding", { room: 1_050, certain: true, picked: true }, findingItems, {
		block: [5, FOUND],
		handoff: [6, FOUND, { most: 25 }],
	}),
	entry("check", { room: 350, certain: true, picked: true }, work.checkItems, {
		block: [2.5, "Checks"],
		handoff: [10, "How to check it", UNCHECKED],
		"pull request": [5, "How it was checked", UNCHECKED],
	}),
	entry("message", { room: 900, said: true }, said.messageItems, {
		block: [1, USERS_WORDS],
		handoff: [2, ALL_WORDS, { most: 40 }],
	}),
	entry("failure", {}, work.failureItems, { block: [13, "Failures"], ...left(7.4) }),
	entry("file changed", { verbatim: true }, work.changedItems, {
		block: [9, "Files changed (edits)", NAMED],
		handoff: [9, "Files changed", LISTED],
		"pull request": [4, "Files", LISTED],
	}),
	entry("file read", { verbatim: true }, work.readItems, {
		block: [10, "Files read", NAMED],
	}),
	entry("commit", { verbatim: true }, work.commitItems, {
		block: [8, "Done"],
		handoff: [8, "What is done"],
		"pull request": [1, "What", { none: "Nothing was committed yet." }],
	}),
	entry("done", {}, work.doneItems, {
		document: [8, "Done"],
		handoff: [8, "What is done"],
		"pull request": [1, "What"],
	}),
	entry("workspace", {}, work.workspaceItems, { block: [15, "Workspace"], handoff: [4.1, STOOD] }),
	entry("command", {}, work.commandItems, { block: [12, "Commands"] }),
	entry("assumption", {}, work.assumptionItems, { block: [14, "Assumptions the agent stated"] }),
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
	const { between: _, none, ...rest } = section;
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
