import { unsupportedDeeds } from "../claims/deeds.ts";
import { checkOutcome, saysNo } from "../state/outputs.ts";
import { callsSince, type SessionState } from "../state/session-state.ts";
import { checkIn } from "../state/shell-acts.ts";
import { foreign, quotedName } from "../text/quoted.ts";
import { counted, cut, oneLine } from "../text/text.ts";
import { firstSentences, type Item, lastSentences, relative, seen, shortCommand, withoutBase } from "./item.ts";
import { isKept, type Situation } from "./situation.ts";

/** Characters of the agent's last words, of a command and of what came of it; and how many of the last calls. */
const LAST_WORDS = 500;
const COMMAND = 240;
const OUTCOME = 200;
const CALLS = 3;
const UNCHECKED = 8;
/** A failure this many calls ago is not told any more. */
const NEAR = 40;

/**
 * How the work stood at the last moment: whether the request had been answered, the agent's last words and what of them no call bears
 * out, the last calls with their outcome, calls of which no result was read, what was edited and not checked. Facts alone: what they
 * mean is the reader's to judge.
 */
export function stoodItems({ session: state, request, base, kept }: Situation): Item[] {
	const ran = (command: string): string => foreign(withoutBase(oneLine(shortCommand(command, COMMAND)), base));
	const came = (outcome: string): string => foreign(withoutBase(oneLine(firstSentences(outcome, OUTCOME)), base));
	const last = state.prose.at(-1);
	const saidBefore = last ? callsSince(state, last.order) : 0;
	// (a call that is cancelled beside another did not fail by itself)
	const failure = state.failures.findLast(
		(one) =>
			!one.message.includes("Sibling tool call errored") &&
			callsSince(state, one.order) <= NEAR &&
			!mayBeMended(one, state),
	);
	const isLastCall = state.commands.slice(-CALLS).some(({ order }) => order === failure?.order);
	const mended = new Set(state.failures.filter(({ resolved }) => resolved).map(({ order }) => order));
	const lastOf = new Map(state.commands.map(({ command, order }) => [oneLine(command), order]));
	const calls = state.commands
		.filter(({ failed, order }) => !failed || !mended.has(order))
		.filter(({ command, order }) => lastOf.get(oneLine(command)) === order)
		.slice(-CALLS)
		.filter(({ at }) => !isKept(kept, at));
	const open = Object.values(state.open).filter(({ tool }) => tool !== "AskUserQuestion");
	const isTold = last !== undefined && !isKept(kept, last.at);
	const lines = [
		request ? answeredLine(state, request.order) : kept.length > 0 && GOES_ON,
		isTold &&
			`the agent's last words${saidBefore ? ` (${counted(saidBefore, "call")} before the end)` : ""}: ${foreign(lastWords(state))}`,
		...(isTold ? unsupportedDeeds(last.text, state) : []).map(
			({ sentence, finding }) => `it said: ${foreign(sentence)}; ${finding}`,
		),
		failure &&
			!isKept(kept, failure.at) &&
			!isLastCall &&
			`failed, and was not seen to go well since: ${ran(failure.subject)} — the tool said: ${came(failure.message)}`,
		...open.slice(-CALLS).map(({ tool, subject }) => {
			const call = ran(`${tool} ${relative(subject, base)}`);
			return `called, and no result read so far (it may have ended): ${call}`;
		}),
		uncheckedFiles(state, base),
	].map((text) => ({ text }));
	const ends = calls.map((run) => ({
		text: `${howItWent(run, state)}: ${ran(run.command)}${run.outcome ? ` — ${came(run.outcome)}` : ""}`,
		call: run.order,
	}));
	return [...lines, ...ends].flatMap(({ text, ...call }, order) =>
		text ? [{ text: `- ${text}`, ...call, order, keep: true as const }] : [],
	);
}

/** The agent's last words as a block tells them, on one line. */
export const lastWords = ({ prose }: SessionState): string =>
	oneLine(lastSentences(prose.at(-1)?.text.replaceAll("**", "") ?? "", LAST_WORDS));

/** The same program went well since, with the same first argument: whether that made it good, nobody can tell. */
const mayBeMended = (
	{ resolved, subject, order }: SessionState["failures"][number],
	{ commands }: SessionState,
): boolean =>
	resolved ||
	commands.some((one) => one.order > order && !one.failed && beginOf(`Bash ${one.command}`) === beginOf(subject));
const beginOf = (subject: string): string => subject.split(/\s+/, 3).join(" ");

const GOES_ON =
	"the user's last message stands in this conversation word for word, with what followed it; what is told here is from before";

function answeredLine(state: SessionState, asked: number): string {
	const calls = callsSince(state, asked);
	const last = state.prose.at(-1);
	const hasSpoken = last !== undefined && last.order >= asked;
	if (calls === 0 && state.partial) return "what followed the request above was not read to its end";
	if (calls === 0)
		return hasSpoken
			? "no call followed the request above; the agent's last words came after it"
			: "the request above has not been answered: nothing followed it before the compaction";
	const done = `${counted(calls, "call")} of the agent followed the request above`;
	const how = isStopped(state) ? "the user stopped it" : "it was at work";
	if (!hasSpoken) return `${done}, and no words of the agent: ${how}`;
	if (callsSince(state, last.order) > 0) return `${done}; the last of them came after the agent's last words: ${how}`;
	return `${done}; the agent's last words came after all of them`;
}

/** The user interrupted the agent or refused its call, and nothing followed. */
const isStopped = ({ decisions, refusedAt, order }: SessionState): boolean =>
	refusedAt === order && /^(?:interrupted|(?:plan )?rejected)$/.test(decisions.at(-1)?.kind ?? "");

type Run = SessionState["commands"][number];

/** A check by its own words: behind a pipe the exit code is another command's. */
function howItWent({ command, failed, begun, outcome = "", order }: Run, { checks }: SessionState): string {
	const check = checks.findLast((one) => one.order === order);
	if (begun) return "begun in the background";
	if (!failed && saysNo(outcome)) return "found nothing";
	if (failed || check?.result === "failed") return "failed";
	if (check) return check.result === "worked" ? "ok" : "outcome not seen";
	return checkIn(command) && checkOutcome(outcome, failed) === "failed" ? "failed" : "ok";
}

/** Files edited behind the last test, build or lint. */
function uncheckedFiles({ checks, files }: SessionState, base: string): string | null {
	const check = checks.findLast(({ kind }) => kind !== "run");
	const since = check?.order ?? -1;
	const names = files.filter(({ edited = -1 }) => edited > since).map(({ path }) => quotedName(relative(path, base)));
	if (names.length === 0) return null;
	const more = names.length > UNCHECKED ? `, ${names.length - UNCHECKED} more` : "";
	const of = check
		? `edited after the last check (${foreign(cut(oneLine(check.command), 80))}, ${seen(check.result)})`
		: "edited, and no check with a result was seen";
	return `${of}: ${names.slice(-UNCHECKED).join(", ")}${more}`;
}
