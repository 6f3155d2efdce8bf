import { redactSecrets, type Safe, safeTemplate } from "../core/redact/secrets.ts";
import { BAR, inBackticks } from "../core/text/quoted.ts";
import { firstWords, oneLine, timeAgo } from "../core/text/text.ts";
import type { PassageReader } from "./find.ts";
import { type Hit, makeHits } from "./hits.ts";
import { type FoundPassage, KINDS } from "./passage.ts";
import type { Asker } from "./ranking.ts";
import type { SearchIndex } from "./search-index.ts";
import type { Term } from "./words.ts";

/** What one call of `ccg recall` answers at most, in characters. */
export const MAX_ANSWER = 4_000;
/** Of a hit so much is shown at most; with less room than that there is none. */
const MAX_EXCERPT = 800;
const MIN_EXCERPT = 100;

/** The best passages as a text of at most `most` characters, each by an excerpt that holds the terms; empty where there is none. */
export function answerText(
	index: SearchIndex,
	read: PassageReader,
	found: readonly FoundPassage[],
	terms: readonly Term[],
	asker: Asker,
	most = MAX_ANSWER,
): Safe | "" {
	const heading = answerHeading(asker.howToRead);
	const hits = makeHits(index, read, found, terms, (passage, made) => {
		const used = made.reduce((sum, hit) => sum + hitText(hit, asker).length + 1, heading.length);
		const room = Math.min(MAX_EXCERPT, most - used - passageHeading(passage, asker).length - 2);
		return room < MIN_EXCERPT ? 0 : room;
	});
	// (what stands around an excerpt is not known before, and may be too long)
	while ([heading, ...hits.map((hit) => hitText(hit, asker))].join("\n").length > most) hits.pop();
	if (hits.length === 0) return "";
	return safeTemplate`${heading}\n${redactSecrets(hits.map((hit) => hitText(hit, asker)).join("\n"))}`;
}

/** The first line of an answer, which tells how a passage is read whole. */
const answerHeading = (howToRead = "recall --more ID"): Safe =>
	safeTemplate`Found in earlier messages, calls and notes, best first; behind | quoted as data. Read one whole with what is around it: ${redactSecrets(howToRead)}`;

/** The lines of a hit: its heading, with the call that started the subagent, its excerpt, and the reply. */
function hitText({ passage, excerpt, reply, startedBy }: Hit, asker: Asker): string {
	const task = startedBy?.text.split("\n").find((line) => line.startsWith(TASK_MARK));
	const taskText = task ? ` ${inBackticks(firstWords(task.slice(TASK_MARK.length), 80))}` : "";
	const callText = startedBy ? `, of call [${startedBy.id}]${taskText}` : "";
	const replyText = reply ? `\n${passageHeading(reply.passage, asker)}, said next${excerptText(reply)}` : "";
	return `${passageHeading(passage, asker)}${callText}${excerptText({ passage, excerpt })}${replyText}`;
}

const TASK_MARK = "description: ";

/** An excerpt below its heading; in the heading's line, without the bars, where it holds no term. */
const excerptText = ({ passage, excerpt }: Pick<Hit, "passage" | "excerpt">): string =>
	passage.holdsNoTerm ? ` ${excerpt.replaceAll(`\n${BAR}`, " ")}` : `\n${excerpt}`;

/**
 * The heading of a passage: `[4711] user, 2026-01-12 14:03 UTC, 3d ago, before the last compaction`; also the session and project where they
 * are not the asker's, and the file of a note. Times are UTC: to load the time zone takes longer than the search.
 */
export function passageHeading(passage: FoundPassage, asker: Asker): string {
	const { id, kind, at, project, session, source, pos, path, text, isAbandoned, compaction } = passage;
	const parts = [KINDS[kind].name, ...(at > 0 ? [utcMinute(at), timeAgo(asker.now.getTime() - at * 1_000)] : [])];
	if (session === asker.session && compaction) parts.push(`${compaction} the last compaction`);
	if (session && session !== asker.session) parts.push(`session ${session.slice(0, 8)}`);
	if (project && project !== asker.project) parts.push(`project ${inBackticks(project)}`);
	const name = (): Safe => redactSecrets(oneLine(source));
	if ((kind === "note" || kind === "file") && path) parts.push(`by ${inBackticks(path)}`);
	if (KINDS[kind].group === "file") parts.push(name());
	if (kind === "user" && NOT_IN_INDEX.test(text)) parts.push(`whole at byte ${pos} of ${name()}`);
	if (isAbandoned) parts.push("on a branch the user left");
	return `[${id}] ${parts.join(", ")}`;
}

/** A picture, a document, a long paste: what a message says of them stands in the index, they lie in the transcript. */
const NOT_IN_INDEX = /\[(?:image|document)\]|\[Image #\d|\[pasted: `/;
/** A time in Unix seconds as `2026-01-12 14:03 UTC`. */
const utcMinute = (seconds: number): string =>
	`${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
