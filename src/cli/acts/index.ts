import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { indexFiles, indexNotes } from "../../claude/machine/index-files.ts";
import { indexTranscript } from "../../claude/transcript/index-transcript.ts";
import { type FoundTranscript, transcriptsBelow } from "../../claude/transcript/transcripts.ts";
import { workFolderOf } from "../../claude/transcript/work-folder.ts";
import { counted, grouped } from "../../core/text/text.ts";
import { withColdLock } from "../../store/cold-lock.ts";
import { claudeRoot, indexPath } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { isDamaged } from "../../store/search/index-database.ts";
import { NO_PROJECT, SearchIndex } from "../../store/search/search-index.ts";
import { askerOf, withIndex } from "../../store/search/search-place.ts";
import { lackOf } from "../../store/search/unread.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { sessionProject } from "../../store/session/session-project.ts";
import { type Store, sessionAt } from "../../store/session-handle.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { progressBar } from "../support/progress-bar.ts";
import { say } from "../support/say.ts";
import { storeFailure } from "../support/store-failure.ts";
import { semanticStatus, semanticText } from "./index-embed.ts";

/** `ccg index status`. */
export function status(io: Io, now: Date, json?: boolean): void {
	const { root } = storeOf(io);
	const path = indexPath(root);
	const { project } = askerOf(io, now);
	const { passages, sessions, sources, here, lack, semantic } = withIndex(io, now, (index) => ({
		...index.size(),
		here: index.size(project),
		lack: lackOf(index, project),
		semantic: semanticStatus(root, index),
	}));
	const { size: bytes } = statSync(path);
	if (json)
		return answerJson(io, {
			...{ path, bytes, passages, sessions, sources, thisProject: here, semantic },
			unread: { transcripts: lack.transcripts, bytes: lack.bytes },
		});
	say(`This project: ${sizeText(here)}. All projects: ${sizeText({ passages, sessions, sources })}.`, io);
	if (lack.transcripts > 0)
		say(
			`${counted(lack.transcripts, "transcript of this project is", "transcripts of this project are")} not read to the end (${kib(lack.bytes)}): the end of each turn reads on, ccg index rebuild all at once`,
			io,
		);
	say(`${path}, ${kib(bytes)}; deleting it loses nothing that ccg index rebuild can read again`, io);
	say(semanticText(semantic), io);
}

const kib = (bytes: number): string => `${grouped(Math.ceil(bytes / 1024))} KiB`;

const sizeText = ({ passages, sessions, sources }: ReturnType<SearchIndex["size"]>): string =>
	`${counted(passages, "passage")} of ${counted(sessions, "session")}, from ${counted(sources, "file")}`;

/** `ccg index rebuild`: reads all transcripts and notes anew. What is in use meanwhile goes on being used. */
export async function rebuild(io: Io, now: Date, json?: boolean): Promise<void> {
	const store = storeOf(io);
	const { root } = store;
	const claude = claudeRoot(io.env);
	const transcripts = claude ? transcriptsBelow(claude) : [];
	try {
		await withColdLock(join(root, "run", "rebuild"), () => readAll(store, claude, transcripts, io, now, json), {
			waitMs: 10_000,
		});
	} catch (error) {
		throw storeFailure("the index was not rebuilt", error, root);
	}
}

function readAll(
	store: Store,
	claude: string | null,
	transcripts: readonly FoundTranscript[],
	io: Io,
	now: Date,
	json?: boolean,
): void {
	const total = transcripts.reduce((sum, { bytes }) => sum + bytes, 0);
	const tell = progressBar(io, "reading transcripts", total, json);
	const read = SearchIndex.use(store.root, { waitMs: 10_000, now, tell: io.tell }, (index) => {
		// killed, it is gone on with by the end of each turn
		index.list(transcripts.map(({ path, session }) => ({ path, session, project: NO_PROJECT })));
		const known = new Map(index.transcripts().map(({ path, project }) => [path, project]));
		const failures = readEach(index, store, claude, transcripts, known, tell);
		indexNotes(index, store.root);
		index.tidy();
		return { ...index.size(), failures, semantic: semanticStatus(store.root, index) };
	})!;
	tell(null);
	if (json) return answerJson(io, { ...read, transcripts: transcripts.length, bytes: total });
	io.out(
		`${counted(read.passages, "passage")} of ${counted(read.sessions, "session")}, ${grouped(Math.round(total / 1e6))} MB read`,
	);
	if (read.semantic) io.out(semanticText(read.semantic));
	for (const failure of read.failures) io.err(`ccg: not indexed: ${failure}`);
	if (read.failures.length > 0) io.exit(1);
}

/** One transcript after the other; gives what could not be read. */
function readEach(
	index: SearchIndex,
	store: Store,
	claude: string | null,
	transcripts: readonly FoundTranscript[],
	known: ReadonlyMap<string, string>,
	tell: (done: number) => void,
): string[] {
	const failures: string[] = [];
	let done = 0;
	for (const { path, session, bytes } of transcripts) {
		try {
			const folder = sessionProject(sessionAt(store, session))?.folder || workFolderOf(path);
			const before = known.get(path) ?? NO_PROJECT;
			// a folder that is gone does not tell any more which repository it was of; of no project: found by a search of all
			const isGone = !folder || (before !== NO_PROJECT && !existsSync(folder));
			const project = isGone ? before : projectOf(folder).key;
			indexTranscript(index, { path, project, session }, { anew: true, onProgress: (at) => tell(done + at) });
			if (folder)
				indexFiles(index, { root: store.root, claudeRoot: claude, folder, session: sessionAt(store, session) });
		} catch (error) {
			if (isDamaged(error)) throw error;
			failures.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
		}
		done += bytes;
		tell(done);
	}
	return failures;
}
