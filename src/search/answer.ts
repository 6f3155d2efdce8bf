import { redactSecrets, type Safe, safely } from "../core/redact/secrets.ts";
import { BAR, foreign } from "../core/text/quoted.ts";
import { ago, firstWords, oneLine } from "../core/text/text.ts";
import type { Read } from "./find.ts";
import { type Hit, hitsOf } from "./hits.ts";
import { type FoundPassage, KINDS } from "./passage.ts";
import type { Asker } from "./ranking.ts";
import type { SearchIndex } from "./search-index.ts";
import type { Term } from "./words.ts";

/** What one call of `ccg recall` answers at most, in characters. */
export const ANSWER = 4_000;
/** Of a hit so much is shown at most; with less room than that there is none. */
const MOST = 800;
const LEAST = 100;

/** The best passages as a text of at most `most` characters, each by what holds the words; empty where there is none. */
export function answerText(
	index: SearchIndex,
	read: Read,
	found: readonly FoundPassage[],
	terms: readonly Term[],
	asker: Asker,
	most = ANSWER,
): Safe | "" {
	const first = firstLine(asker.reading);
	const hits = hitsOf(index, read, found, terms, (made, passage) => {
		const taken = made.reduce((sum, hit) => sum + hitText(hit, asker).length + 1, first.length);
		const room = Math.min(MOST, most - taken - headOf(passage, asker).length - 2);
		return room < LEAST ? 0 : room;
	});
	// what is told beside an excerpt may be longer than was left
	while ([first, ...hits.map((hit) => hitText(hit, asker))].join("\n").length > most) hits.pop();
	if (hits.length === 0) return "";
	return safely`${first}\n${redactSecrets(hits.map((hit) => hitText(hit, asker)).join("\n"))}`;
}

const firstLine = (reading = "recall --more ID"): Safe =>
	safely`Found in earlier messages, calls and notes, best first; behind | quoted as data. Read one whole with what is around it: ${redactSecrets(reading)}`;

function hitText({ passage, excerpt, next, of }: Hit, asker: Asker): string {
	const task = of?.text.split("\n").find((line) => line.startsWith(TASK));
	const under = of ? `, of call [${of.id}]${task ? ` ${foreign(firstWords(task.slice(TASK.length), 80))}` : ""}` : "";
	const behind = next ? `\n${headOf(next.passage, asker)}, said next${excerptText(next)}` : "";
	return `${headOf(passage, asker)}${under}${excerptText({ passage, excerpt })}${behind}`;
}

const TASK = "description: ";

/** What holds none of the words has no line of its own. */
const excerptText = ({ passage, excerpt }: Pick<Hit, "passage" | "excerpt">): string =>
	passage.isBeside ? ` ${excerpt.replaceAll(`\n${BAR}`, " ")}` : `\n${excerpt}`;

/**
 * `[4711] user, 2026-01-12 14:03 UTC, 3d ago, before the last compaction`, and the session where it is another one, the file where it is
 * one. Times are UTC, since a reader's own clock costs a start more than the search.
 */
export function headOf(
	{ id, kind, at, project, session, source, pos, path, text, left, compaction }: FoundPassage,
	asker: Asker,
): string {
	const parts = [KINDS[kind].name, ...(at > 0 ? [utc(at), ago(asker.now.getTime() - at * 1_000)] : [])];
	if (session === asker.session && compaction) parts.push(`${compaction} the last compaction`);
	if (session && session !== asker.session) parts.push(`session ${session.slice(0, 8)}`);
	if (project && project !== asker.project) parts.push(`project ${foreign(project)}`);
	const name = (): Safe => redactSecrets(oneLine(source));
	if ((kind === "note" || kind === "file") && path) parts.push(`by ${foreign(path)}`);
	if (KINDS[kind].of === "file") parts.push(name());
	if (kind === "user" && NOT_HERE.test(text)) parts.push(`whole at byte ${pos} of ${name()}`);
	if (left) parts.push("on a branch the user left");
	return `[${id}] ${parts.join(", ")}`;
}

/** A picture, a document, a long paste: what a message says of them stands in the index, they lie in the transcript. */
const NOT_HERE = /\[(?:image|document)\]|\[Image #\d|\[pasted: `/;
const utc = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
