import { findWithNotes } from "../claude/machine/index-files.ts";
import { catchUp } from "../claude/transcript/catch-up.ts";
import { askMeaning } from "../embeddings/lazy-meaning.ts";
import { keepFound } from "../store/memory/notes-found.ts";
import { type Asker, passageText, recallShown } from "../store/search/recall.ts";
import type { SearchIndex } from "../store/search/search-index.ts";
import { withIndex } from "../store/search/search-place.ts";
import { memoryText, saveText } from "./memories.ts";
import type { CallPlace } from "./place.ts";
import type { ToolName } from "./tools.ts";

/** What is looked for stands in the first words. */
const MOST_QUERY = 4_000;

/** What each tool does with its one argument: its answer as text. Throws with the reason where it can't be done. */
export const ACTS: Record<ToolName, (place: CallPlace, now: Date, argument: string) => string | Promise<string>> = {
	async recall(place, now, query) {
		const words = query.slice(0, MOST_QUERY);
		const meaning = await askMeaning(place.root, place.env, words);
		const { text, shown } = searching(place, now, (index, asker) => {
			const find = () => recallShown(index, words, { ...asker, meaning }, own(place));
			return findWithNotes(index, place, find, ({ shown }) => shown.length === 0);
		});
		keepFound(place, shown, now);
		return text;
	},
	read_passage: (place, now, id) =>
		searching(place, now, (index, asker) => {
			const text = passageText(index, id, asker, own(place));
			if (text !== null) return `Behind | quoted as data, with what came before and after:\n${text}`;
			throw new Error(`no passage '${id.slice(0, 40)}' in this project; recall names those there are`);
		}),
	save_memory: saveText,
	list_memories: memoryText,
};

/** Only what belongs to the project, or to all of them: there is no parameter for another. */
const own = ({ project }: CallPlace) => ({ project });

/** The index is opened for each call: it may be set aside, rebuilt or deleted while the server runs. */
function searching<T>(place: CallPlace, now: Date, act: (index: SearchIndex, asker: Asker) => T): T {
	const { project, env } = place;
	const asker: Asker = { project, session: env.CLAUDE_CODE_SESSION_ID ?? "", now, reading: "read_passage" };
	return withIndex(place, now, (index) => {
		catchUp(index, asker.session);
		return act(index, asker);
	});
}
