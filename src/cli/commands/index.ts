import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { indexFiles, indexNotes } from "../../claude/machine/index-files.ts";
import { indexTranscript } from "../../claude/transcript/index-transcript.ts";
import { transcriptsBelow, workFolderOf } from "../../claude/transcript/transcripts.ts";
import { hasEndpoint, hostOf } from "../../core/config/config.ts";
import { counted, grouped } from "../../core/text/text.ts";
import { whyOf } from "../../files/system-failure.ts";
import { isUnusable } from "../../search/database.ts";
import { fillVectors } from "../../search/meaning.ts";
import { sizeText, withIndex } from "../../search/recall.ts";
import { lackOf, NO_PROJECT, SearchIndex, unreadTranscripts } from "../../search/search-index.ts";
import { vectorCounts } from "../../search/vectors.ts";
import { loadConfig } from "../../store/config.ts";
import { withColdLock } from "../../store/lock.ts";
import { claudeRoot, indexPath } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { listSessions } from "../../store/session/cycles.ts";
import { folderOf, storeOf } from "../../store/session/place.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { printAnswer, watchProgress } from "../support/answer.ts";
import { type Answer, type Given, JSON_OUT, option, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { ownProject } from "../support/place.ts";

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
	async act(io, options: Given & { fill?: boolean; rebuild?: boolean; embed?: boolean }) {
		const { fill, rebuild: anew = false } = options;
		if (fill || anew) printAnswer(await readTranscripts(io, { anew }), options, io);
		if (options.embed) return embed(io);
		return fill || anew ? undefined : status(io);
	},
};

/** Tells how much the index holds and lacks, and whether semantic search is on. */
function status(io: Io): Answer {
	const { root } = storeOf(io);
	const path = indexPath(root);
	const project = ownProject(io);
	return withIndex(io, (index) => {
		const [size, thisProject] = [index.size(), index.size(project)];
		const unread = lackOf(index, project);
		const semantic = semanticStatus(root, index);
		return {
			json: { path, bytes: statSync(path).size, ...size, thisProject, semantic, unread },
			text: [
				`This project: ${sizeText(thisProject)}. All projects: ${sizeText(size)}. Transcripts of this project not read to the end: ${unread.transcripts}.`,
				`${path}; deleting it loses nothing that ccg index --rebuild can read again`,
				semanticText(semantic),
			],
		};
	});
}

/** Reads what the index lacks, or with `anew` all transcripts and notes. The index stays in use meanwhile. */
const readTranscripts = (io: Io, how: Reading): Promise<Answer> =>
	withColdLock(join(storeOf(io).root, "run", "rebuild"), () => readAll(io, how), { waitMs: how.anew ? 10_000 : 0 });

interface Reading {
	anew: boolean;
}

/** Reads the transcripts that are meant, with progress; gives counts and what could not be read. */
function readAll(io: Io, how: Reading): Answer {
	const store = storeOf(io);
	const { root } = store;
	const claude = claudeRoot(io.env);
	const known = new Set(how.anew ? [] : listSessions(store));
	const all = claude ? transcriptsBelow(claude) : [];
	const transcripts = how.anew ? all : all.filter(({ session }) => known.has(session));
	const result = SearchIndex.use(root, { waitMs: 10_000, tell: io.tell }, (index) => {
		// (where this run is killed, the next one goes on with the list)
		index.list(transcripts);
		const unread = how.anew ? transcripts : unreadTranscripts(index);
		const bytes = unread.reduce((sum, one) => sum + one.bytes, 0);
		io.err(`ccg: reading ${counted(unread.length, "transcript")}, ${megabytes(bytes)}`);
		const failures = readEach(index, unread, how, io);
		if (how.anew) {
			indexNotes(index, root);
			index.tidy();
		}
		return { ...index.size(), failures, semantic: semanticStatus(root, index), transcripts: unread.length, bytes };
	})!;
	const { failures, semantic } = result;
	if (failures.length > 0) io.exit(1);
	for (const failure of failures) io.err(`ccg: not indexed: ${failure}`);
	return {
		json: result,
		text: [`${sizeText(result)}, ${megabytes(result.bytes)} read`, ...(semantic ? [semanticText(semantic)] : [])],
	};
}

const megabytes = (bytes: number): string => `${grouped(Math.round(bytes / 1e6))} MB`;

/** Reads one transcript after the other into the index; gives which ones could not be read, and why. */
function readEach(
	index: SearchIndex,
	transcripts: readonly { path: string; session: string }[],
	how: Reading,
	io: Io,
): string[] {
	const store = storeOf(io);
	const known = new Map(index.transcripts().map(({ path, project }) => [path, project]));
	const failures = watchProgress(transcripts, "reading transcripts", io).flatMap(({ path, session: sid }) => {
		const session = sessionAt(store, sid);
		try {
			const folder = folderOf(session) || workFolderOf(path);
			const before = known.get(path) ?? NO_PROJECT;
			// the repository of a folder that is gone is not known any more; passages of no project are found by a search of all
			const isGone = !folder || (before !== NO_PROJECT && !existsSync(folder));
			const project = isGone ? before : projectOf(folder).key;
			indexTranscript(index, { path, project, session: sid }, how);
			if (folder) indexFiles(index, { root: store.root, claudeRoot: claudeRoot(io.env), folder });
			return [];
		} catch (error) {
			if (isUnusable(error)) throw error;
			return [`${path}: ${whyOf(error)}`];
		}
	});
	return [...failures];
}

/** Makes the vectors that are missing; may be ended at any time and called again. */
async function embed(io: Io): Promise<Answer> {
	const { root } = storeOf(io);
	const { config, problems } = loadConfig(root);
	const { embeddings } = config;
	if (!hasEndpoint(embeddings)) {
		const why = problems.filter((one) => one.startsWith("embeddings")).join("; ");
		const reason = why ? `config.json: ${why}` : "config.json names no embeddings (docs/guide.md)";
		throw new Error(`semantic search is off: ${reason}`);
	}
	const showProgress = (done: number, of: number): void => io.progress?.(`making vectors: ${done} of ${of}`);
	const fill = async () => {
		try {
			return await fillVectors(root, embeddings, { env: io.env, tell: showProgress });
		} catch (error) {
			const { host } = hostOf(embeddings)!;
			throw new Error(`${host} ${whyOf(error)}; the vectors made so far stay`, { cause: error });
		} finally {
			io.progress?.("");
		}
	};
	const { made, refused } = await withColdLock(join(root, "run", "embed"), fill);
	const of = withIndex(io, (index) => vectorCounts(index, embeddings.model));
	if (refused > 0) io.err(`ccg: ${embeddings.model} refused ${grouped(refused)} passages`);
	return {
		json: { made, refused, ...of },
		text: `${counted(made, "vector")} made; ${grouped(of.vectors)} of ${grouped(of.passages)} passages have one`,
	};
}

/** Gives the state of semantic search; `null` where it is off. */
function semanticStatus(root: string, index: SearchIndex) {
	const { embeddings } = loadConfig(root).config;
	const { model } = embeddings;
	const where = hostOf(embeddings);
	return where && { model, ...where, ...vectorCounts(index, model) };
}

function semanticText(status: ReturnType<typeof semanticStatus>): string {
	if (!status) return "semantic search: off";
	const { model, host, isElsewhere, vectors, passages } = status;
	const missing = vectors < passages ? "; ccg index --embed makes the others" : "";
	const leaves = isElsewhere ? `; redacted text of your sessions leaves this machine to ${host}` : "";
	return `semantic search: ${model} at ${host}, ${grouped(vectors)} of ${grouped(passages)} passages have a vector${missing}${leaves}`;
}
