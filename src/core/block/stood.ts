import { isSubstantial } from "../checkpoint/document-state.ts";
import { callsSince, lastOfEach, type SessionState } from "../state/session-state.ts";
import { excerpt } from "../text/excerpt.ts";
import { absolutePath } from "../text/paths.ts";
import { barred, eachLine, foreign, quotedName } from "../text/quoted.ts";
import { counted, oneLine } from "../text/text.ts";
import { type Item, inOrder, lineItem, relative, shortCommand, withoutBase } from "./item.ts";
import { ANSWERED, beginOfLast } from "./said.ts";
import type { Situation } from "./situation.ts";

/** Where the work stood: what followed the request, the git branch, the files edited since. Facts alone, for the reader to judge. */
export function stoodItems({ whole, request, kept, base, branch }: Situation): Item[] {
	return inOrder(
		request ? followText(whole, request.order) : kept.length > 0 && `- ${GOES_ON}`,
		branch && `- git branch ${quotedName(branch)}`,
		request && editedSince(whole, request.order, base),
	);
}

const GOES_ON =
	"the user's last message stands in this conversation word for word, with what followed it; what is told here is from before";

/** A line where no words of the agent followed the request at place `asked`, else `false`: words and calls are shown in sections of their own. */
function followText(state: SessionState, asked: number): string | false {
	const calls = callsSince(state, asked);
	if ((state.prose.at(-1)?.order ?? -1) >= asked) return false;
	if (calls === 0) return "- the request above has not been answered: nothing followed it";
	const olderWords = state.prose.length > 0 ? "; its last ones are from before" : "";
	return `- ${counted(calls, "call")} of the agent followed the request above, and no words of the agent${olderWords}`;
}

const FILES = 15;
/** A line with the files edited since the request at place `asked`, the newest last; `""` where there are none. */
function editedSince({ files }: SessionState, asked: number, base: string): string {
	const names = files.filter(({ edited = -1 }) => edited > asked).map(({ path }) => quotedName(relative(path, base)));
	const more = names.length > FILES ? `, and ${names.length - FILES} before these` : "";
	return names.length > 0 ? `- edited since: ${names.slice(-FILES).join(", ")}${more}` : "";
}

const WORDS = 2_400;
/** A text this short only announces the call behind it ("Now let me read the test."), as a last paragraph that ends with a colon does. */
const ANNOUNCES = 250;
/** A text of the agent without a last paragraph that only announces a call; `""` where nothing more is in it. */
const withoutAnnouncement = (text: string): string => {
	const parts = text.trim().split(/\n(?:[^\S\n]*\n)+/);
	const own = /^[^\n]*[:：][*_]*$/.test(parts.at(-1)!) ? parts.slice(0, -1).join("\n\n") : text.trim();
	return own.length > ANNOUNCES ? own : "";
};

/** The agent's words since the request, the last first as they get room first; where there are none, the last words before it. */
export function agentItems({ state: { prose }, request }: Situation): Item[] {
	const since = prose.filter(({ order }) => order >= (request?.order ?? 0));
	const own = since.map(({ text }, n) => (n === since.length - 1 ? text : withoutAnnouncement(text))).filter(Boolean);
	const last = prose.at(-1)?.text ?? "";
	// the end of the words that a short request answers is shown with the request
	const before = request && !isSubstantial(request.text) ? last.slice(0, beginOfLast(last, ANSWERED)) : last;
	const texts = own.length > 0 ? own : [before.trimEnd().toWellFormed()].filter(Boolean);
	return texts.toReversed().map((text, n) => ({ text: barred(excerpt(text, WORDS).text), order: -n }));
}

const CALLS = 8;
/** Fewer where nothing followed the request: the calls are then from before it, and say little of it. */
const BEFORE = 5;
/** So many are shown with all of their kept output, as failed calls are; the others with its last line. */
const WHOLE = 1;
const COMMAND = 300;
/** Calls of which no result was read, then the newest calls with how they ended and the last lines of their output. */
export function callItems({ state: { calls, open }, whole, base, request }: Situation): Item[] {
	const callText = (tool: string, subject: string): string => {
		const what = foreign(withoutBase(oneLine(shortCommand(relative(subject, base), COMMAND)), base));
		return tool === "Bash" ? what : `${quotedName(tool)}${subject && ` ${what}`}`;
	};
	const pending = Object.values(open)
		.filter(({ tool }) => tool !== "AskUserQuestion")
		.map(({ tool, subject, order }) =>
			lineItem(`no result read so far (it may have ended): ${callText(tool, subject)}`, order),
		);
	// edits are shown by their files, and what ran before the last edit tells of files that are not so any more
	const edits = whole.files.filter((file) => file.edits > 0);
	const edited = new Set(edits.map(({ path }) => path));
	const since = Math.max(request?.order ?? -1, ...edits.map((file) => file.edited ?? -1));
	const isStanding = ({ subject, output, order }: (typeof calls)[number]): boolean =>
		order > since && (output !== undefined || !edited.has(absolutePath(subject, whole.cwd)));
	const hasFollowed = !request || callsSince(whole, request.order) > 0;
	const shown = request && hasFollowed ? calls.filter(isStanding) : calls;
	const newest = lastOfEach(shown, ({ tool, subject }) => `${tool} ${subject}`).slice(hasFollowed ? -CALLS : -BEFORE);
	const ended = newest.map(({ tool, subject, outcome, output, begun, order }, n) => {
		const how = begun ? "begun in the background" : `${outcome}${output || tool !== "Bash" ? "" : ", no output"}`;
		const isWhole = n >= newest.length - WHOLE || outcome !== "ended";
		const last = isWhole ? output : output?.slice(output.lastIndexOf("\n") + 1);
		const lastLines = last && !begun ? `\n${eachLine(barred(withoutBase(last, base)), "  ")}` : "";
		return { text: `- ${how}: ${callText(tool, subject)}${lastLines}`, order };
	});
	return [...pending.slice(-3).toReversed(), ...ended.toReversed()];
}
