import type { SessionState } from "../state/session-state.ts";
import { findingItems, joinedFindings } from "./findings.ts";
import type { Item, Kind, Section, Workspace } from "./item.ts";
import { decisionItems, directiveItems, messageItems, questionItems, requestItems, requestOf } from "./said-items.ts";
import { stoodItems } from "./stood-items.ts";
import {
	ALL,
	assumptionItems,
	backgroundItems,
	commandItems,
	doneItems,
	failureItems,
	fileItems,
	LISTED,
	planItems,
	searchItems,
	unclearItems,
	workspaceItems,
} from "./work-items.ts";

/** The user's words stand in one list, in order of time. */
const USERS_WORDS = "The user's words, in order of time (verbatim)";

/** What must be in the context whatever the summary says; the rest is chosen when the summary is known. */
export const CERTAIN = new Set<Kind>([
	"request",
	"state",
	"directive",
	"decision",
	"unclear",
	"question",
	"background task",
	"plan",
]);
/** What the user said, of whichever kind. */
export const SAID = new Set<Kind>(["request", "directive", "decision", "message"]);

/**
 * The state as sections, the most important first. Quoted text is the user's own; everything else is named as what it is.
 * `whole` lists what a block has no room for, `only` the kinds that are wanted. Paths are told from `base` on, absolute where they lie elsewhere.
 */
export function sectionsOf(
	state: SessionState,
	workspace: Workspace | null,
	whole = false,
	base = state.cwd,
	only?: ReadonlySet<Kind>,
): Section[] {
	const listed = whole ? ALL : LISTED;
	const request = requestOf(state);
	const sections: (Omit<Section, "items"> & { items: () => Item[] })[] = [
		{
			kind: "request",
			place: 1,
			title: "Request at hand (the user's last message, verbatim)",
			share: 0.25,
			items: () => requestItems(request),
		},
		{ kind: "directive", place: 3, title: USERS_WORDS, share: 0.6, items: () => directiveItems(state, request) },
		{ kind: "state", place: 2, title: "Where things stood", share: 0.25, items: () => stoodItems(state, base) },
		{ kind: "decision", place: 3, title: USERS_WORDS, share: 0.2, items: () => decisionItems(state) },
		{
			kind: "unclear",
			place: 3.5,
			title: "Unclear who said this (the transcript does not tell)",
			share: 0.1,
			items: () => unclearItems(state),
		},
		{
			kind: "question",
			place: 4,
			title: "Open questions of the agent to the user",
			share: 0.05,
			items: () => questionItems(state),
		},
		{
			kind: "background task",
			place: 5,
			title: "Running or scheduled when this was saved",
			share: 0.1,
			items: () => backgroundItems(state),
		},
		{ kind: "plan", place: 6, title: "Plan and tasks", share: 0.15, items: () => planItems(state, workspace) },
		{ kind: "message", place: 3, title: USERS_WORDS, share: 0.35, items: () => messageItems(state, request) },
		{
			kind: "finding",
			place: 7,
			title: "What the agent said (its own words, in order; … where some are left out)",
			share: 0.3,
			items: () => findingItems(state),
			joined: joinedFindings,
		},
		{ kind: "failure", place: 13, title: "Failures", share: 0.1, items: () => failureItems(state, workspace, listed) },
		{
			kind: "file changed",
			place: 9,
			title: "Files changed (edits: names declared in them)",
			share: 0.12,
			items: () => fileItems(state, true, base),
			inline: ", ",
		},
		{
			kind: "file read",
			place: 10,
			title: "Files read",
			share: 0.08,
			items: () => fileItems(state, false, base),
			inline: ", ",
			worth: 0.5,
		},
		{ kind: "done", place: 8, title: "Done", share: 0.05, items: () => doneItems(state, listed) },
		{
			kind: "workspace",
			place: 15,
			title: "Workspace",
			share: 0.08,
			items: () => workspaceItems(state, workspace, base),
		},
		{
			kind: "command",
			place: 12,
			title: "Commands",
			share: 0.06,
			items: () => commandItems(state, base),
		},
		{
			kind: "search",
			place: 11,
			title: "Searches",
			share: 0.03,
			items: () => searchItems(state, listed, base),
			inline: ", ",
			worth: 0.3,
		},
		{
			kind: "assumption",
			place: 14,
			title: "Assumptions the agent stated",
			share: 0.03,
			items: () => assumptionItems(state, listed),
		},
	];
	return sections
		.filter(({ kind }) => only?.has(kind) ?? true)
		.map((section) => ({ ...section, items: section.items() }));
}
