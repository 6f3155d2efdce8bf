import { keyParts } from "../../core/recovery/checkpoint-key.ts";
import { grouped } from "../../core/text/text.ts";
import { loadConfig } from "../../store/config/config.ts";
import { projectOf } from "../../store/project.ts";
import { jsonPath, readablePath } from "../../store/recovery/checkpoints.ts";
import {
	logLines,
	projectIn,
	type StoredCheckpoint,
	storedCheckpoints,
} from "../../store/recovery/find-checkpoints.ts";
import { sessionsWithRequest, waitingRestore, waitingRestoreNext } from "../../store/recovery/restore-request.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { projectFolderOf } from "../../store/session/session-project.ts";
import { type Store, sessionAt } from "../../store/session-handle.ts";
import { answerJson } from "../support/answer-json.ts";
import { refuseCrossing } from "../support/held.ts";
import type { Io } from "../support/io.ts";
import { columnsOver, table } from "../support/layout/table.ts";
import { pickSession } from "../support/pick-session.ts";
import { say } from "../support/say.ts";

export interface ListOptions {
	session?: string;
	all?: boolean;
	type?: string;
	limit?: number;
	json?: boolean;
}

const SHOWN = 20;

/** The newest checkpoints, by the names of their files and what the logs say of those shown. */
export function list(options: ListOptions, io: Io, now: Date): void {
	const store = storeOf(io);
	const { limit = SHOWN } = options;
	if (options.all) refuseCrossing("--all", io);
	const all = chosen(store, options, io, now);
	const { found, more } = firstOf(all, limit);
	const lineOf = logLines(store);
	const rows = found.map((one) => {
		const line = lineOf(one);
		const parts = keyParts(one.key);
		return {
			key: one.key,
			type: parts?.type ?? null,
			at: line?.at ?? parts?.at ?? null,
			session: one.sid,
			trigger: line?.trigger ?? null,
			reason: line?.reason ?? null,
			tokens: line?.tokens ?? null,
			bytes: line?.bytes ?? null,
			coverage: line?.coverage ?? null,
			path: options.json
				? readablePath(sessionAt(store, one.sid), one.key)
				: jsonPath(sessionAt(store, one.sid), one.key),
		};
	});
	const waiting = waitingRestores(store, options, io, now);
	if (options.json) return answerJson(io, { checkpoints: rows, more, waiting });
	for (const { key, at, session } of waiting) {
		const [into, how] = session ? [`session ${session}`, `--session ${session}`] : ["the next session", "--next"];
		say(`Waits for ${into}: ${key}, asked for at ${at} ('ccg checkpoint restore --cancel ${how}' takes it back)`, io);
	}
	if (rows.length === 0) {
		const where = options.all ? store.root : "this project";
		return say(`No checkpoint of ${where} yet: 'ccg checkpoint save' makes one, and each compaction does.`, io);
	}
	const column = columnsOver(rows);
	const right = { align: "right" } as const;
	const { lines } = table(
		[
			column("checkpoint", 0, ({ key }) => key, { paint: io.colours.bold }),
			column("session", 2, ({ session }) => session.slice(0, 8)),
			column("why", 1, ({ reason, trigger }) => reason ?? (trigger ? `trigger ${trigger}` : "no line in the log"), {
				least: 10,
			}),
			column("tokens", 3, ({ tokens }) => (tokens === null ? "" : grouped(tokens)), right),
			column("size", 4, ({ bytes }) => (bytes === null ? "" : `${Math.max(1, Math.round(bytes / 1024))} KB`), right),
			column("coverage", 5, ({ coverage }) => (coverage === null ? "" : `${coverage} %`), right),
		],
		io.columns ?? Infinity,
		io.colours.dim,
	);
	// in one write: thousands take as long as all else
	io.out(lines.join("\n"));
	if (more) io.err(`ccg: there are older ones; --limit ${limit * 10} shows more`);
}

interface Waiting {
	key: string;
	at: string;
	/** `null`: the next one of this project. */
	session: string | null;
}

/** Restores that nobody has got yet: of the session named, else of this project, or of all sessions. */
function waitingRestores(store: Store, { session, all }: ListOptions, io: Io, now: Date): Waiting[] {
	const folder = projectFolderOf(io);
	const project = projectOf(folder).key;
	const limitOf = (sid?: string) => {
		const { config } = loadConfig(store.root, sid === undefined ? { folder, tell: io.tell } : { sid, tell: io.tell });
		return { now, maxHours: config.checkpoints.freshHours };
	};
	const meant =
		session === undefined
			? sessionsWithRequest(store).filter((sid) => all || projectIn(store, sid) === project)
			: [pickSession(store, session, io, now)];
	const running = meant.flatMap((sid) => {
		const request = waitingRestore(sessionAt(store, sid), limitOf(sid));
		return request ? { key: request.key, at: request.at, session: sid } : [];
	});
	const next = session === undefined ? waitingRestoreNext(store, project, limitOf()) : null;
	return [...(next ? [{ key: next.key, at: next.at, session: null }] : []), ...running];
}

/** Those that are meant, the newest first; which project a session belongs to is asked when its turn comes. */
function* chosen(store: Store, { session, all, type }: ListOptions, io: Io, now: Date): Generator<StoredCheckpoint> {
	const sid = session === undefined ? undefined : pickSession(store, session, io, now);
	const project = sid === undefined && !all ? projectOf(projectFolderOf(io)).key : null;
	const known = new Map<string, boolean>();
	const isMeant = ({ sid: of }: StoredCheckpoint): boolean => {
		if (project === null) return true;
		const is = known.get(of) ?? projectIn(store, of) === project;
		known.set(of, is);
		return is;
	};
	for (const one of storedCheckpoints(store, sid))
		if ((!type || keyParts(one.key)?.type === type) && isMeant(one)) yield one;
}

function firstOf(all: Iterable<StoredCheckpoint>, limit: number): { found: StoredCheckpoint[]; more: boolean } {
	const found: StoredCheckpoint[] = [];
	for (const one of all) {
		if (found.length === limit) return { found, more: true };
		found.push(one);
	}
	return { found, more: false };
}
