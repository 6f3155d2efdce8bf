import { belowHead } from "../checkpoint/imported.ts";
import * as whole from "./document-items.ts";
import type { Item, Place, Section, Traits } from "./item.ts";
import { withoutDash } from "./item.ts";
import * as said from "./said.ts";
import type { Situation, View } from "./situation.ts";
import * as stood from "./stood.ts";
import * as work from "./work.ts";

/** Of each view that shows a section: the section's place there, its heading, and further traits. */
type Places = Partial<Record<View, [at: number, heading: string, more?: Partial<Place>]>>;
/** One row of the table: a section's kind, its traits, the function that makes its items, and its places by view. */
const entry = (kind: string, traits: Traits, items: (of: Situation, room?: number) => Item[], places: Places) => ({
	kind,
	traits,
	items,
	places,
});

const REQUEST = "Request at hand (the user's last message, verbatim)";
const USERS_WORDS = "The user's words before it, in order of time (verbatim)";
const STOOD = "Where it stood";
const AGENT = "The agent's last words";
const CALLS = "The newest calls";
const LEFT = "What is left";
/** The places of a section under `LEFT`: it stands in both texts for people who go on with the work. */
const leftPlaces = (at: number, more: Partial<Place> = {}): Places => ({
	handoff: [at, LEFT, more],
	"pull request": [at, LEFT, more],
});
const LISTED = { lead: "- ", most: 60 };
const NAMED = { between: ", ", most: 200 };

/**
 * Every section that ccg shows of a session, the most important first, as a block's budget is shared in this order. Quoted text is the
 * user's own; everything else is named as what it is. A new section is one entry here. A place's number orders printing only; a section
 * without a place for "document" has there the place of "block".
 */
const TABLE = [
	entry("request", { isSaid: true }, said.requestItems, { block: [1, REQUEST, { between: "\n\n" }] }),
	entry("since", { room: 1_200, isSaid: true }, said.sinceItems, {
		block: [1.5, "Since then the user"],
		handoff: [2.5, "Since the last message the user"],
	}),
	entry("state", { room: 900 }, stood.stoodItems, { block: [2, STOOD], handoff: [4, STOOD] }),
	entry("agent", { room: 2_500 }, stood.agentItems, {
		block: [2.1, `${AGENT} (Markdown, behind |)`, { between: "\n|\n" }],
		handoff: [4.3, AGENT, { between: "\n|\n" }],
	}),
	entry("call", { room: 1_500 }, stood.callItems, { block: [2.2, CALLS], handoff: [4.4, CALLS] }),
	entry("plan", { room: 2_000 }, work.planItems, { block: [3, "Plan and open tasks"], ...leftPlaces(7.1) }),
	entry("question", { room: 600 }, said.questionItems, {
		block: [3.1, "Open questions of the agent to the user"],
		...leftPlaces(7.3, { lead: "- open question to the user: " }),
	}),
	entry("background task", { room: 800 }, work.backgroundItems, {
		block: [3.2, "Running or scheduled when this was saved"],
		handoff: [4.2, STOOD, { lead: "- running: " }],
	}),
	entry("unclear", { room: 400 }, work.unclearItems, {
		block: [3.3, "Unclear who said this (the transcript does not tell)"],
	}),
	entry("said", { room: said.ROOM + 100, kept: 2_400, fitted: true, isSaid: true }, said.saidItems, {
		block: [4, USERS_WORDS],
		handoff: [2, "The user's words, in order of time", { most: 140, none: "Nothing else was recorded." }],
	}),
	entry("failure", {}, work.failureItems, { document: [13, "Calls that failed"] }),
	entry("file changed", {}, work.changedItems, {
		document: [9, "Files changed (edits)", NAMED],
		handoff: [9, "Files changed", LISTED],
		"pull request": [4, "Files", LISTED],
	}),
	entry("file read", {}, work.readItems, { document: [10, "Files read", NAMED] }),
	entry("commit", {}, work.commitItems, {
		document: [8, "Done"],
		handoff: [8, "What is done"],
		"pull request": [1, "What"],
	}),
	entry("done", {}, work.doneItems, {
		document: [8, "Done"],
		handoff: [8, "What is done"],
		"pull request": [1, "What"],
	}),
	entry("workspace", {}, work.workspaceItems, { document: [15, "Workspace"], handoff: [4.1, STOOD] }),
	entry("models", {}, whole.modelItems, { document: [15, "Workspace"] }),
	entry("limits", {}, whole.limitItems, { document: [-1, "", { between: "\n\n" }] }),
	entry("plan text", {}, whole.planTextItems, { document: [20, "Plan text"] }),
	entry("long message", {}, whole.longMessageItems, { document: [21, "Long messages of the user (verbatim)"] }),
	entry("asked", {}, said.askedItems, { handoff: [1, "Request", { between: "\n\n" }] }),
	entry("change", {}, whole.changeItems, { handoff: [3, "Not as it was then", { most: 40 }] }),
	entry("task decision", {}, work.taskDecisionItems, {
		handoff: [5, "Decisions of the task, with their reasons"],
		"pull request": [3, "Decisions"],
	}),
	entry("decided", {}, said.decidedItems, { "pull request": [3.1, "Decisions"] }),
	entry("why", {}, said.whyItems, { "pull request": [2, "Why"] }),
	entry("next", {}, work.nextItems, leftPlaces(7)),
	entry("blocker", {}, work.blockerItems, leftPlaces(7.2)),
	entry("more", {}, whole.moreItems, { handoff: [11, "To go on"] }),
];

/** Makes the sections of a view, the most important first. In an imported text no heading says whose words stand below it. */
export function viewSections(view: View, of: Situation): Section[] {
	const imported = of.checkpoint?.imported;
	return TABLE.flatMap(({ kind, traits, items, places }) => {
		const place = places[view] ?? (view === "document" ? places.block : undefined);
		if (!place) return [];
		const [at, heading, more] = place;
		const leadText = ({ text }: Item): string => (more?.lead ? more.lead + withoutDash(text) : text);
		const make = (room?: number): Item[] =>
			items(of, room).map((item) => ({ ...item, text: belowHead(leadText(item), imported) }));
		const section = { kind, ...traits, at, heading, ...more, items: make(), ...(traits.fitted && { fit: make }) };
		return [imported ? { ...section, heading: kind, between: "\n" } : section];
	});
}
