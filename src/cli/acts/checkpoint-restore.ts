import { existsSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { readWorkspace } from "../../claude/machine/workspace.ts";
import { saveDue } from "../../claude/recovery/save-due.ts";
import { MAX_INJECTED_CHARS } from "../../core/recovery/budget.ts";
import type { Checkpoint } from "../../core/recovery/checkpoint.ts";
import { recoveredOf } from "../../core/recovery/checkpoints/recovered.ts";
import { restoredReport } from "../../core/recovery/checkpoints/reports.ts";
import { restoredBlock } from "../../core/recovery/checkpoints/restored-block.ts";
import { type FileNow, workspaceChanges } from "../../core/recovery/checkpoints/workspace-changes.ts";
import type { Workspace } from "../../core/recovery/item.ts";
import { quotedName } from "../../core/text/quoted.ts";
import { statInside } from "../../files/read-inside.ts";
import { readHead } from "../../git/head.ts";
import { repositoryOf } from "../../git/repository.ts";
import { loadConfig } from "../../store/config/config.ts";
import { isInSession } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { checkpointPath, writeReadable } from "../../store/recovery/checkpoints.ts";
import {
	claimRestore,
	claimRestoreNext,
	type RestoreRequest,
	requestRestore,
	requestRestoreNext,
} from "../../store/recovery/restore-request.ts";
import { type Store, sessionAt } from "../../store/session-handle.ts";
import { pickCheckpoint, whyNot } from "../checkpoint/pick.ts";
import { checkpointStore, meantSession, memoriesNow, placeOfSession } from "../checkpoint/place.ts";
import { answerJson } from "../support/answer-json.ts";
import { isHeld } from "../support/held.ts";
import type { Io } from "../support/io.ts";

export interface RestoreOptions {
	session?: string;
	/** Of this session; `session` is where it goes. */
	from?: string;
	next?: boolean;
	print?: boolean;
	/** Takes back what waits. */
	cancel?: boolean;
	anyway?: boolean;
	json?: boolean;
}

const WAIT_MS = 10_000;
/** The start of a session also tells notes. */
const NEXT_CHARS = MAX_INJECTED_CHARS - 1_000;

/** Gives a checkpoint back: to the running session, to the project's next one, or to the terminal. What is unfit is never given back. */
export function restore(named: string | undefined, options: RestoreOptions, io: Io, now: Date): void {
	const { store, folder } = checkpointStore(io);
	const found = pickCheckpoint(store, named, { session: options.from, folder }, io, now);
	const { checkpoint, key, sid, by } = found;
	if (!checkpoint || !found.validation.valid)
		throw new Error(`${key} was not restored: ${whyNot(found)}; 'ccg checkpoint validate ${key}' says more`);
	refuseOther(checkpoint, folder, options, io);
	const { fresh, ageHours, maxHours } = found.validation.freshness;
	if (!fresh) io.err(`ccg: ${key} is stale: ${ageHours} h old (limit ${maxHours} h)`);
	writeReadable(sessionAt(store, sid), checkpoint);
	const target = targetOf(store, options, io, now);
	// first the present: the restored state must not cost it
	const present = target.sid === null ? null : savePresent(store, target.sid, key, io, now);
	const changes = changesIn(checkpoint, folder, now);
	const recovered = recoveredOf(checkpoint, memoriesNow(store, checkpoint, io));
	const text = restoredBlock({
		checkpoint,
		path: checkpointPath(sessionAt(store, sid), key),
		at: now.toISOString(),
		by: askedBy(target.sid, io),
		changes,
		missing: recovered.missing.map((one) => one.replace(/^memory /, "")),
		maxChars: Math.min(loadConfig(store.root, { folder, tell: io.tell }).config.recovery.maxChars, target.maxChars),
	});
	const request: RestoreRequest = { key, session: sid, at: now.toISOString(), text, ...headOf(folder) };
	target.give(request);
	const facts = { into: target.into, changes: changes.map(({ says }) => says), present, by };
	if (options.json)
		return answerJson(io, {
			key,
			session: sid,
			...facts,
			chars: text.length,
			recovered,
			...(options.print && { text }),
		});
	for (const line of restoredReport(checkpoint, recovered, facts)) io.out(line);
	if (options.print) io.out(`\n${text}`);
}

/** Takes back a restore that still waits, for the running session or the project's next one. Gives nothing to anybody. */
export function cancelRestore(options: RestoreOptions, io: Io, now: Date): void {
	const { store, folder } = checkpointStore(io);
	const sid = options.next ? null : meantSession(store, options.session, io, now);
	const request =
		sid === null ? claimRestoreNext(store, projectOf(folder).key, null) : claimRestore(sessionAt(store, sid), null);
	const into = sid === null ? "the next session of this project" : `session ${sid}`;
	if (options.json) return answerJson(io, { cancelled: request?.key ?? null, into });
	const other = options.next ? "" : "; --next looks at what waits for the project's next session";
	io.out(request ? `Taken back: ${request.key} for ${into}.` : `Nothing waits for ${into}${other}.`);
}

/** Who asked, as the one who gets it is told. */
function askedBy(target: string | null, { env }: Io): string {
	if (!isInSession(env)) return "the user restored it";
	const asker = env.CLAUDE_CODE_SESSION_ID;
	if (target !== null && asker === target) return "a command of this session restored it";
	return `a command of ${asker ? `session ${quotedName(asker)}` : "another session"} restored it`;
}

/** What the user said in one project is no instruction for another. */
function refuseOther(
	{ key, project, projectDir }: Checkpoint,
	folder: string,
	{ anyway }: RestoreOptions,
	io: Io,
): void {
	const own = project ?? (projectDir ? projectOf(projectDir).key : "");
	const isMeant = isHeld(io) ? false : anyway || io.anyway;
	if (!isMeant && own && own !== projectOf(folder).key)
		throw new Error(
			`${key} is of another project (${projectDir}); to restore it here all the same: ccg --anyway checkpoint restore ${key}`,
		);
}

interface Target {
	into: string;
	/** The running session whose present is saved first. */
	sid: string | null;
	maxChars: number;
	give(request: RestoreRequest): void;
}

function targetOf(store: Store, { next, print, session }: RestoreOptions, io: Io, now: Date): Target {
	if (print) return { into: "this terminal", sid: null, maxChars: 2 * MAX_INJECTED_CHARS, give() {} };
	if (next) {
		const { key } = projectOf(checkpointStore(io).folder);
		return {
			into: "the next session of this project, once",
			sid: null,
			maxChars: NEXT_CHARS,
			give: (request) => requestRestoreNext(store, key, request),
		};
	}
	const sid = meantSession(store, session, io, now);
	return {
		into: `session ${sid}, with its next tool call or prompt, once`,
		sid,
		maxChars: MAX_INJECTED_CHARS,
		give: (request) => requestRestore(sessionAt(store, sid), request),
	};
}

function savePresent(store: Store, sid: string, key: string, io: Io, now: Date): string | null {
	const due = { trigger: "restore_request", reason: `before ${key} was restored` } as const;
	const { retention } = loadConfig(store.root).config;
	const saved = saveDue(placeOfSession(store, sid, io, now), [due], {
		keep: retention.maxCheckpoints,
		waitMs: WAIT_MS,
	});
	return saved?.key ?? null;
}

const MAX_FILES = 200;

/** Branch, commit and edited files, as they are in the folder it is restored to. */
export function changesIn(checkpoint: Checkpoint, folder: string, now: Date) {
	const there = checkpoint.projectDir || folder;
	const workspace: Workspace | null = existsSync(there) ? readWorkspace(there, now) : null;
	const edited = checkpoint.state.files.filter(({ edits }) => edits > 0).slice(-MAX_FILES);
	const files: FileNow[] = edited.flatMap(({ path }) => {
		// files elsewhere are not looked at
		const below = isAbsolute(path) ? relative(there, path) : path;
		if (!below || below.startsWith("..") || isAbsolute(below)) return [];
		const stat = statInside(there, below);
		return [{ path: below, changedAt: stat ? stat.mtime.toISOString() : null }];
	});
	return workspaceChanges(checkpoint, workspace, files);
}

/** What the event that injects it compares with. */
function headOf(folder: string): Pick<RestoreRequest, "folder" | "branch" | "commit"> {
	const repository = repositoryOf(folder);
	const head = repository && readHead(repository);
	return { folder, branch: head ? (head.branch ?? "HEAD (no branch)") : "", commit: head?.commit ?? "" };
}
