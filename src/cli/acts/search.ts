import { existsSync } from "node:fs";
import { findWithNotes } from "../../claude/machine/index-files.ts";
import { lineNumber } from "../../claude/transcript/transcript-file.ts";
import { excerptOf, headOf, quotedExcerpt } from "../../core/search/answer.ts";
import type { FoundPassage, PassageKind } from "../../core/search/passage.ts";
import type { Term } from "../../core/search/words.ts";
import { askMeaning } from "../../embeddings/lazy-meaning.ts";
import { keepFound } from "../../store/memory/notes-found.ts";
import { projectOf } from "../../store/project.ts";
import { readerOf, search } from "../../store/search/recall.ts";
import type { SearchIndex } from "../../store/search/search-index.ts";
import { askerOf, withIndex } from "../../store/search/search-place.ts";
import type { Filter } from "../../store/search/search-query.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { answerJson } from "../support/answer-json.ts";
import { refuseCrossing } from "../support/held.ts";
import type { Io } from "../support/io.ts";
import { isoOf, moment } from "../support/layout/moment.ts";

export interface SearchOptions {
	all?: boolean;
	project?: string;
	session?: string;
	kind?: PassageKind[];
	tool?: string;
	path?: string;
	since?: number;
	until?: number;
	limit?: number;
	context?: number;
	json?: boolean;
}

const LIMIT = 10;
/** The same text is shown once: more are looked for than the most that can be asked for. */
const FOUND = 400;
/** Of each passage so many characters are shown. */
const SHOWN = 600;

/** `ccg search`. */
export async function searchWords(words: string, options: SearchOptions, io: Io, now: Date): Promise<void> {
	const meaning = await askMeaning(storeOf(io).root, io.env, words);
	const asker = { ...askerOf(io, now), meaning };
	withIndex(io, now, (index) => {
		const filter = filterOf(index, options, asker.project, io);
		const find = () => search(index, words, asker, filter, FOUND);
		const place = { root: storeOf(io).root, project: filter.project };
		const { found, terms } = findWithNotes(index, place, find, (one) => one.found.length === 0);
		if (meaning?.line) io.err(`ccg: ${meaning.line}`);
		const shown = found.slice(0, options.limit ?? LIMIT).map((passage) => ({
			passage,
			around: options.context
				? (index.around(passage.id, { before: options.context, after: options.context }) ?? [])
				: [passage],
		}));
		const excerpts = shown.map(({ passage }) => ({
			passage,
			excerpt: options.json ? passage.text : excerptOf(passage.text, terms, SHOWN),
		}));
		keepFound(storeOf(io), excerpts, now);
		if (options.json)
			return answerJson(
				io,
				shown.map(({ passage, around }) => asJson(passage, around, options)),
			);
		if (shown.length === 0) {
			const where = options.all ? "any project" : "this project; --all searches all of them";
			return io.out(`Nothing found in ${where}.`);
		}
		const text = shown.map(({ passage, around }) => asText(passage, around, terms, io, asker)).join("\n\n");
		const more =
			found.length > shown.length
				? `\n\n${shown.length} of ${found.length} shown; more with --limit ${Math.min(200, found.length)}`
				: "";
		if (!io.page?.(text + more)) io.out(text + more);
	});
}

function filterOf(index: SearchIndex, options: SearchOptions, own: string, io: Io): Filter {
	const { all, project, session, kind, tool, path, since, until } = options;
	if (all || project !== undefined) refuseCrossing("--all or --project", io);
	const key = project === undefined ? own : projectOf(project).key;
	// a folder that is gone may have been a project
	if (project !== undefined && !existsSync(project) && index.size(key).sources === 0)
		throw new Error(`there is no folder '${project}', and the index has no project of it; --all searches all projects`);
	return {
		project: all ? undefined : key,
		session: session === undefined ? undefined : sessionNamed(index, session),
		kinds: kind,
		tool,
		path,
		since,
		until,
	};
}

function sessionNamed(index: SearchIndex, named: string): string {
	const begun = index.sessionsLike(named);
	if (begun.includes(named)) return named;
	if (begun.length === 1) return begun[0]!;
	if (begun.length === 0)
		throw new Error(`no session '${named}' in the index; 'ccg sessions list' shows those ccg knows`);
	throw new Error(
		`'${named}' is the beginning of ${begun.length} sessions: ${begun.slice(0, 5).join(", ")}; give more of it`,
	);
}

function asText(
	passage: FoundPassage,
	around: readonly FoundPassage[],
	terms: readonly Term[],
	io: Io,
	asker: ReturnType<typeof askerOf>,
): string {
	const reader = readerOf(asker, moment);
	const { bold, dim } = io.colours;
	return around
		.map((one) => {
			const own = one.id === passage.id;
			const head = headOf(one, reader);
			const line = own ? lineOf(one) : null;
			const where = line === null ? "" : dim(`  ${one.source}:${line}`);
			return `${own ? bold(head) : dim(head)}${where}\n${quotedExcerpt(one.text, terms, SHOWN)}`;
		})
		.join("\n");
}

const asJson = (passage: FoundPassage, around: readonly FoundPassage[], { context }: SearchOptions) => ({
	...oneAsJson(passage),
	score: Math.round(passage.score * 1_000) / 1_000,
	line: lineOf(passage),
	...(context && { around: around.map(oneAsJson) }),
});

const oneAsJson = ({ id, kind, at, project, session, source, tool, path, text, left }: FoundPassage) => ({
	id,
	kind,
	at: isoOf(at),
	project,
	session,
	source,
	tool,
	path,
	text,
	left,
});

/** The line of a transcript where the passage stands; `null` where there is no such file any more. */
const lineOf = ({ source, pos }: FoundPassage): number | null =>
	source.endsWith(".jsonl") ? lineNumber(source, pos) : null;
