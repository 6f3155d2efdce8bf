import { findWithNotes } from "../../claude/machine/index-files.ts";
import { catchUp } from "../../claude/transcript/catch-up.ts";
import { askMeaning } from "../../embeddings/lazy-meaning.ts";
import { keepFound } from "../../store/memory/notes-found.ts";
import { passageText, recallShown } from "../../store/search/recall.ts";
import type { SearchIndex } from "../../store/search/search-index.ts";
import { askerOf, withIndex } from "../../store/search/search-place.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { asTyped, ownName } from "../support/own-name.ts";
import type { RecallArguments } from "../support/recall-arguments.ts";

/** `ccg recall`. Only of the asker's project: a permission rule may allow all that begins so. */
export async function recallWords({ words, more, json }: RecallArguments, io: Io, now: Date): Promise<void> {
	const meaning = more === undefined ? await askMeaning(storeOf(io).root, io.env, words) : null;
	const asker = { ...askerOf(io, now), reading: `${ownName(io)} recall --more ID`, meaning };
	const look = (index: SearchIndex) => {
		catchUp(index, asker.session);
		if (more === undefined) {
			const find = () => recallShown(index, words, asker);
			return findWithNotes(index, { root: storeOf(io).root, project: asker.project }, find, isEmpty);
		}
		const passage = passageText(index, more, asker, { project: asker.project });
		if (passage === null)
			throw new Error(`no passage '${more}' in this project; 'ccg recall WORDS' names those there are`);
		return { text: passage, shown: [] };
	};
	const { text, shown } = withIndex(io, now, look, (why) => ({
		text: asTyped(`Nothing found: ${why}`, io),
		shown: [],
	}));
	if (json) answerJson(io, { text });
	else io.out(text);
	keepFound(storeOf(io), shown, now);
}

const isEmpty = ({ shown }: { shown: unknown[] }): boolean => shown.length === 0;
