import { counted } from "../core/text/text.ts";
import type { Filter } from "./passage.ts";
import { lackOf, type SearchIndex } from "./search-index.ts";
import type { Term } from "./words.ts";

/** What is said of a search that found nothing: what was looked through, and what could not be. */
export function nothingText(index: SearchIndex, terms: readonly Term[], { project, ...options }: Filter): string {
	if (terms.length === 0)
		return "There is no word to look for; name what was said, done or seen: a file, an error, a decision.";
	const asked = terms.map(({ text }) => text).join(", ");
	const isAll = Object.values(options).every((one) => one === undefined);
	const { transcripts } = lackOf(index, project);
	const unread = `${counted(transcripts, "transcript is", "transcripts are")} not in the index yet: they are read within the hour, or at once with: ccg index --fill`;
	return [
		`Nothing in ${project === undefined ? "any project" : "this project"} holds: ${asked.slice(0, 600)}.`,
		`Looked through: ${isAll ? "" : "what the options leave of "}${sizeText(index.size(project))}.`,
		...(transcripts > 0 ? [unread] : []),
		"Try other words, best a name or the text of an error.",
	].join(" ");
}

/** How much the index holds, for people. */
export const sizeText = ({ passages, sessions }: ReturnType<SearchIndex["size"]>): string =>
	`${counted(passages, "passage")} of ${counted(sessions, "session")}`;
