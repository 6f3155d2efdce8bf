import { isSubstantial } from "../checkpoint/document-state.ts";
import { countCallsSince, lastOfEachKey, type OpenCall, type SessionState } from "../state/session-state.ts";
import { excerpt } from "../text/excerpt.ts";
import { absolutePath } from "../text/paths.ts";
import { inBackticks, nameInBackticks, prefixLines, quoteWithBars } from "../text/quoted.ts";
import { countWithNoun, oneLine } from "../text/text.ts";
import { type Item, itemsInOrder, lineItem, relativePath, shortCommand, withRelativePaths } from "./item.ts";
import { ANSWERED_CHARS, tailStart } from "./said.ts";
import type { SectionFacts } from "./situation.ts";

/** Where the work stood: what followed the request, the git branch, the files edited since. Facts alone, for the reader to judge. */
export function progressItems({ wholeState, request, verbatimRanges, baseFolder, branch }: SectionFacts): Item[] {
	const verbatimLine = verbatimRanges.length > 0 && `- ${VERBATIM_REQUEST}`;
	return itemsInOrder(
		request ? noReplyLine(wholeState, request.order) : verbatimLine,
		branch && `- git branch ${nameInBackticks(branch)}`,
		request && editedFilesLine(wholeState, request.order, baseFolder),
	);
}

const VERBATIM_REQUEST =
	"the user's last message stands in this conversation word for word, with what followed it; what is told here is from before";

/** A line where no words of the agent followed the request, else `false`: words and calls are shown in sections of their own. */
function noReplyLine(state: SessionState, requestOrder: number): string | false {
	const calls = countCallsSince(state, requestOrder);
	const lastWordsOrder = state.prose.at(-1)?.order ?? -1;
	if (lastWordsOrder >= requestOrder) return false;
	if (calls === 0) return "- the request above has not been answered: nothing followed it";
	const olderWords = state.prose.length > 0 ? "; its last ones are from before" : "";
	return `- ${countWithNoun(calls, "call")} of the agent followed the request above, and no words of the agent${olderWords}`;
}

const MAX_EDITED_FILES = 15;
/** A line with the files edited since the request, the newest last; `""` where there are none. */
function editedFilesLine({ files }: SessionState, requestOrder: number, baseFolder: string): string {
	const names = files
		.filter(({ edited: lastEdit = -1 }) => lastEdit > requestOrder)
		.map(({ path }) => nameInBackticks(relativePath(path, baseFolder)));
	const more = names.length > MAX_EDITED_FILES ? `, and ${names.length - MAX_EDITED_FILES} before these` : "";
	return names.length > 0 ? `- edited since: ${names.slice(-MAX_EDITED_FILES).join(", ")}${more}` : "";
}

const MAX_AGENT_TEXT = 2_400;
/** A text this short only announces the call behind it ("Now let me read the test."), as a last paragraph that ends with a colon does. */
const MAX_ANNOUNCEMENT = 250;
/** A text of the agent without a last paragraph that only announces a call; `""` where little more is in it. */
function withoutAnnouncement(text: string): string {
	const paragraphs = text.trim().split(/\n(?:[^\S\n]*\n)+/);
	const endsWithColon = /^[^\n]*[:：][*_]*$/.test(paragraphs.at(-1)!);
	const rest = endsWithColon ? paragraphs.slice(0, -1).join("\n\n") : text.trim();
	return rest.length > MAX_ANNOUNCEMENT ? rest : "";
}

/** The agent's words since the request, the last first as they get room first; where there are none, the last words before it. */
export function agentTextItems({ state: { prose }, request }: SectionFacts): Item[] {
	const since = prose.filter(({ order }) => order >= (request?.order ?? 0));
	const textsSince = since
		.map(({ text }, n) => (n === since.length - 1 ? text : withoutAnnouncement(text)))
		.filter(Boolean);
	const lastText = prose.at(-1)?.text ?? "";
	// the request section ends a short request with the end of these words: here they stand without it
	const isEndShown = request && !isSubstantial(request.text);
	const textBefore = isEndShown ? lastText.slice(0, tailStart(lastText, ANSWERED_CHARS)) : lastText;
	const texts = textsSince.length > 0 ? textsSince : [textBefore.trimEnd().toWellFormed()].filter(Boolean);
	return texts.toReversed().map((text, n) => ({ text: quoteWithBars(excerpt(text, MAX_AGENT_TEXT).text), order: -n }));
}

const MAX_CALLS = 8;
/** Fewer where nothing followed the request: the calls are then from before it, and say little of it. */
const MAX_OLD_CALLS = 5;
/** So many are shown with all of their kept output, as failed calls are; the others with its last line. */
const FULL_OUTPUTS = 1;
const MAX_COMMAND = 300;
/** Calls of which no result was read, then the newest calls with how they ended and the last lines of their output. */
export function callItems(facts: SectionFacts): Item[] {
	const { state, wholeState, baseFolder, request } = facts;
	const withoutResult = Object.values(state.open)
		.filter(({ tool }) => tool !== "AskUserQuestion")
		.map((call) =>
			lineItem(`no result read so far (it may have ended): ${shortCallText(call, baseFolder)}`, call.order),
		);
	const hasCallsSince = !request || countCallsSince(wholeState, request.order) > 0;
	const shown = request && hasCallsSince ? currentCalls(facts) : state.calls;
	const distinct = lastOfEachKey(shown, ({ tool, subject }) => `${tool} ${subject}`);
	const newest = distinct.slice(hasCallsSince ? -MAX_CALLS : -MAX_OLD_CALLS);
	const ended = newest.map((call, n) => endedCallItem(call, baseFolder, n >= newest.length - FULL_OUTPUTS));
	return [...withoutResult.slice(-3).toReversed(), ...ended.toReversed()];
}

/** The calls after the request and after the last edit: earlier ones tell of files that are not so any more. Edits are shown by their files. */
function currentCalls({ state, wholeState, request }: SectionFacts): SessionState["calls"] {
	const editedFiles = wholeState.files.filter(({ edits }) => edits > 0);
	const editedPaths = new Set(editedFiles.map(({ path }) => path));
	const lastEdit = Math.max(-1, ...editedFiles.map(({ edited = -1 }) => edited));
	const isEdit = ({ subject, output }: SessionState["calls"][number]): boolean =>
		output === undefined && editedPaths.has(absolutePath(subject, wholeState.cwd));
	return state.calls.filter((call) => call.order > Math.max(request?.order ?? -1, lastEdit) && !isEdit(call));
}

/** A call that has ended as an item: how it ended, what it was, and its output, whole or the last line of it. */
function endedCallItem(call: SessionState["calls"][number], baseFolder: string, isNewest: boolean): Item {
	const { tool, outcome, output = "", begun: isRunning, order } = call;
	const ending = isRunning ? "begun in the background" : `${outcome}${output || tool !== "Bash" ? "" : ", no output"}`;
	const isOutputWhole = isNewest || outcome !== "ended";
	const shownOutput = isOutputWhole ? output : output.slice(output.lastIndexOf("\n") + 1);
	const quoted = prefixLines(quoteWithBars(withRelativePaths(shownOutput, baseFolder)), "  ");
	return {
		text: `- ${ending}: ${shortCallText(call, baseFolder)}${shownOutput && !isRunning ? `\n${quoted}` : ""}`,
		order,
	};
}

/** A call as short text: its command, or the tool's name and what it was called on. */
function shortCallText({ tool, subject }: Pick<OpenCall, "tool" | "subject">, baseFolder: string): string {
	const command = oneLine(shortCommand(relativePath(subject, baseFolder), MAX_COMMAND));
	const code = inBackticks(withRelativePaths(command, baseFolder));
	return tool === "Bash" ? code : `${nameInBackticks(tool)}${subject && ` ${code}`}`;
}
