import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { indexNotes, indexProjectMemory } from "../../claude/machine/index-files.ts";
import { indexTranscript } from "../../claude/transcript/index-transcript.ts";
import { startFolderOf, transcriptsBelow } from "../../claude/transcript/transcripts.ts";
import { embeddingsHost, hasEndpoint } from "../../core/config/config.ts";
import { countWithNoun, withThousands } from "../../core/text/text.ts";
import { startDetached } from "../../files/on-path.ts";
import { errorText } from "../../files/system-failure.ts";
import { isIndexUnusable } from "../../search/database.ts";
import { addMissingVectors } from "../../search/meaning.ts";
import { indexSizeText, withIndex } from "../../search/recall.ts";
import { countUnread, NO_PROJECT, SearchIndex, unreadTranscripts } from "../../search/search-index.ts";
import { vectorCounts } from "../../search/vectors.ts";
import { loadConfig } from "../../store/config.ts";
import { withLongLock } from "../../store/lock.ts";
import { claudeRoot, indexPath } from "../../store/paths.ts";
import { findProject } from "../../store/project.ts";
import { listSessions } from "../../store/session/cycles.ts";
import { readSessionFolder, requireStore } from "../../store/session/place.ts";
import { sessionHandle } from "../../store/session-handle.ts";
import { printAnswer, withProgress } from "../support/answer.ts";
import { type Answer, type Flags, JSON_OUT, option, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { projectKey } from "../support/place.ts";

export const index: Spec = {
	about: "show what the search index holds, fill or rebuild it",
	options: [
		option("--fill", "read on in the transcripts of known sessions that it does not hold to their end"),
		option("--rebuild", "make it again from transcripts and notes"),
		option("--embed", "make the missing vectors for semantic search (off without embeddings in config.json)"),
		JSON_OUT,
	],
	help: `
The end of a turn adds what the turn said, and starts --fill once an hour. --rebuild reads all transcripts of Claude Code and \
all notes; the index stays in use meanwhile. Passages of transcripts that Claude Code has deleted stay; sessions deleted from \
ccg come back where their transcript is there. --embed takes the newest passages first and may be ended at any time.

Example:
  ccg index --rebuild`,
	async run(io, options: Flags & { fill?: boolean; rebuild?: boolean; embed?: boolean }) {
		const { fill, rebuild: anew = false } = options;
		if (fill || anew) printAnswer(await fillIndex(io, { anew }), options, io);
		if (options.embed) return makeVectors(io);
		return fill || anew ? undefined : indexStatus(io);
	},
};

/** Tells how much the index holds and lacks, and whether semantic search is on. */
function indexStatus(io: Io): Answer {
	const { root } = requireStore(io);
	const path = indexPath(root);
	const project = projectKey(io);
	return withIndex(io, (index) => {
		const [size, thisProject] = [index.size(), index.size(project)];
		const unread = countUnread(index, project);
		const semantic = semanticStatus(root, index);
		return {
			json: { path, bytes: statSync(path).size, ...size, thisProject, semantic, unread },
			text: [
				`This project: ${indexSizeText(thisProject)}. All projects: ${indexSizeText(size)}. Transcripts of this project not read to the end: ${unread.transcripts}.`,
				`${path}; deleting it loses nothing that ccg index --rebuild can read again`,
				semanticStatusText(semantic),
			],
		};
	});
}

/** Reads into the index what it lacks, or with `anew` all transcripts and notes. The index stays in use meanwhile. */
function fillIndex(io: Io, options: { anew: boolean }): Promise<Answer> {
	const lockPath = join(requireStore(io).root, "run", "rebuild");
	return withLongLock(lockPath, () => indexAll(io, options), { waitMs: options.anew ? 10_000 : 0 });
}

/** Reads the transcripts into the index, and with `anew` the notes; gives counts and the transcripts that could not be read. */
function indexAll(io: Io, options: { anew: boolean }): Answer {
	const store = requireStore(io);
	const { root } = store;
	const { anew } = options;
	const claudeFolder = claudeRoot(io.env);
	const knownSessions = new Set(anew ? [] : listSessions(store));
	const all = claudeFolder ? transcriptsBelow(claudeFolder) : [];
	const transcripts = anew ? all : all.filter(({ session }) => knownSessions.has(session));
	const result = SearchIndex.use(root, { waitMs: 10_000, onProblem: io.onProblem }, (index) => {
		// (where this run is killed, the next one goes on with the list)
		index.list(transcripts);
		const unread = anew ? transcripts : unreadTranscripts(index);
		const bytes = unread.reduce((sum, transcript) => sum + transcript.bytes, 0);
		io.err(`ccg: reading ${countWithNoun(unread.length, "transcript")}, ${megabytes(bytes)}`);
		const failures = indexTranscripts(index, unread, options, io);
		if (anew) {
			indexNotes(index, root);
			index.tidy();
		}
		return { ...index.size(), failures, semantic: semanticStatus(root, index), transcripts: unread.length, bytes };
	})!;
	const { failures, semantic } = result;
	if (failures.length > 0) io.setExitCode(1);
	for (const failure of failures) io.err(`ccg: not indexed: ${failure}`);
	const readText = `${indexSizeText(result)}, ${megabytes(result.bytes)} read`;
	return { json: result, text: semantic ? [readText, semanticStatusText(semantic)] : readText };
}

/** How long an installation reads transcripts itself. */
const MOMENT_MS = 1_500;

/**
 * Where there is no index yet: makes the newest transcripts searchable, for a moment, and starts a process that goes on with all of them. Gives
 * what to say of it; `null` where there is nothing to read.
 */
export function makeSearchable(launcher: string, io: Io): string | null {
	const store = requireStore(io);
	const claudeFolder = claudeRoot(io.env);
	const newestFirst = claudeFolder ? transcriptsBelow(claudeFolder).sort((a, b) => b.changed - a.changed) : [];
	const isOff = !loadConfig(store.root).config.search.enabled;
	if (isOff || newestFirst.length === 0 || existsSync(indexPath(store.root))) return null;
	const end = performance.now() + MOMENT_MS;
	const isTimeUp = (): boolean => performance.now() >= end;
	let read = 0;
	SearchIndex.use(store.root, { onProblem: io.onProblem }, (index) => {
		for (; read < newestFirst.length && !isTimeUp(); read++)
			indexTranscripts(index, [newestFirst[read]!], { isTimeUp }, { ...io, progress: undefined });
	});
	const isAll = read === newestFirst.length && !isTimeUp();
	if (!isAll) startDetached(launcher, ["index", "--rebuild"], io.env);
	const others = isAll ? "" : "; the others follow in the background (`ccg index` says how far)";
	return `Searchable with \`ccg recall\`: ${read} of ${countWithNoun(newestFirst.length, "past session")}${others}.`;
}

/** Gives a number of bytes in megabytes, for people. */
const megabytes = (bytes: number): string => `${withThousands(Math.round(bytes / 1e6))} MB`;

/** Reads the transcripts into the index, one after the other; gives which could not be read, and why. */
function indexTranscripts(
	index: SearchIndex,
	transcripts: readonly { path: string; session: string }[],
	options: { anew?: boolean; isTimeUp?: () => boolean },
	io: Io,
): string[] {
	const store = requireStore(io);
	const indexedProjects = new Map(index.transcripts().map(({ path, project }) => [path, project]));
	const failures = withProgress(transcripts, "reading transcripts", io).flatMap(({ path, session: sid }) => {
		const session = sessionHandle(store, sid);
		try {
			const folder = readSessionFolder(session) || startFolderOf(path);
			const lastProject = indexedProjects.get(path) ?? NO_PROJECT;
			// (of a folder that is gone the project can't be found, so the last one is kept)
			const isGone = !folder || (lastProject !== NO_PROJECT && !existsSync(folder));
			const project = isGone ? lastProject : findProject(folder).key;
			indexTranscript(index, { path, project, session: sid }, options);
			if (folder) indexProjectMemory(index, { root: store.root, claudeRoot: claudeRoot(io.env), folder });
			return [];
		} catch (error) {
			if (isIndexUnusable(error)) throw error;
			return [`${path}: ${errorText(error)}`];
		}
	});
	return [...failures];
}

/** Makes the missing vectors of passages for semantic search; may be stopped at any time and run again. */
async function makeVectors(io: Io): Promise<Answer> {
	const { root } = requireStore(io);
	const { config, problems } = loadConfig(root);
	const { embeddings } = config;
	if (!hasEndpoint(embeddings)) {
		const why = problems.filter((problem) => problem.startsWith("embeddings")).join("; ");
		const reason = why ? `config.json: ${why}` : "config.json names no embeddings (docs/guide.md)";
		throw new Error(`semantic search is off: ${reason}`);
	}
	const showProgress = (done: number, all: number): void => io.progress?.(`making vectors: ${done} of ${all}`);
	const addMissing = async () => {
		try {
			return await addMissingVectors(root, embeddings, { env: io.env, tell: showProgress });
		} catch (error) {
			const { host } = embeddingsHost(embeddings)!;
			throw new Error(`${host} ${errorText(error)}; the vectors made so far stay`, { cause: error });
		} finally {
			io.progress?.("");
		}
	};
	const { made, refused } = await withLongLock(join(root, "run", "embed"), addMissing);
	const counts = withIndex(io, (index) => vectorCounts(index, embeddings.model));
	if (refused > 0) io.err(`ccg: ${embeddings.model} refused ${withThousands(refused)} passages`);
	return {
		json: { made, refused, ...counts },
		text: `${countWithNoun(made, "vector")} made; ${withThousands(counts.vectors)} of ${withThousands(counts.passages)} passages have one`,
	};
}

/** Gives model, host and counts of semantic search; `null` where it is off. */
function semanticStatus(root: string, index: SearchIndex) {
	const { embeddings } = loadConfig(root).config;
	const { model } = embeddings;
	const host = embeddingsHost(embeddings);
	return host && { model, ...host, ...vectorCounts(index, model) };
}

/** Describes the state of semantic search in one line. */
function semanticStatusText(status: ReturnType<typeof semanticStatus>): string {
	if (!status) return "semantic search: off";
	const { model, host, isElsewhere, vectors, passages } = status;
	const missing = vectors < passages ? "; ccg index --embed makes the others" : "";
	const warning = isElsewhere ? `; redacted text of your sessions leaves this machine to ${host}` : "";
	return `semantic search: ${model} at ${host}, ${withThousands(vectors)} of ${withThousands(passages)} passages have a vector${missing}${warning}`;
}
