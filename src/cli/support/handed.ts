import { resolve } from "node:path";
import { readWorkspace } from "../../claude/machine/workspace.ts";
import { readContent } from "../../claude/recovery/take-checkpoint.ts";
import { currentSession } from "../../claude/transcript/read-session.ts";
import { recoveryBlock } from "../../core/block/recovery-block.ts";
import { handoff, pullRequest } from "../../core/block/views.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { redactSecrets } from "../../core/redact/secrets.ts";
import { emptyState } from "../../core/state/session-state.ts";
import { readUsage } from "../../store/pressure/flags.ts";
import { changesIn, presentOf, readableCheckpoint, transcriptOf } from "./checkpoints.ts";
import type { Io } from "./io.ts";
import { configFor, meantSession, refuseCrossing } from "./place.ts";

// What is given to a model or to another, made anew when it is asked for.

/** What would be injected if the conversation were compacted now: of a session, or of a transcript's file. */
export function blockOf(named: string | undefined, io: Io): string {
	const isFile = named?.endsWith(".jsonl");
	if (isFile) refuseCrossing("a transcript's file", io);
	const session = isFile ? null : meantSession(named, io);
	const usage = session && readUsage(session);
	const cwd = usage?.cwd ?? "";
	const path = session ? transcriptOf(session, usage?.transcriptPath, cwd, io) : resolve(io.cwd, named!);
	if (!path)
		throw new Error(
			`of session ${session?.id} no transcript is known: a status line or the end of a turn tells where it is; ccg show FILE.jsonl reads one`,
		);
	const { state } = currentSession(session, path);
	// `partial` only says how much was looked at
	if (JSON.stringify({ ...state, partial: false }) === JSON.stringify({ ...emptyState(), partial: false }))
		throw new Error(
			`no line of a transcript was found in ${path}; Claude Code writes them to ~/.claude/projects/*/*.jsonl, one JSON object a line`,
		);
	const workspace = cwd ? readWorkspace(cwd, io.now(), { since: state.startedAt }) : null;
	const { maxChars } = configFor({ sid: session?.id, folder: cwd || io.cwd }, io).recovery;
	return recoveryBlock({ state, workspace, key: "(not saved)", path: "(not saved)", base: cwd, maxChars });
}

/** What another needs to go on: of a checkpoint, or of the session as it is now. */
export function handoffOf(key: string | undefined, session: string | undefined, isPr: boolean, io: Io) {
	const isLive = key === undefined;
	const checkpoint = isLive
		? livingCheckpoint(session, io)
		: readableCheckpoint(key, session, io, "can't be handed over").checkpoint;
	const changes = isLive || isPr ? [] : changesIn(checkpoint, io);
	const made = io.now().toISOString();
	const page = isPr ? pullRequest(checkpoint) : handoff(checkpoint, { isLive, made, changes });
	// where somebody lives on their disk is nobody's business
	const home = io.env.HOME ?? "";
	const short = (text: string): string => (home.length > 1 ? text.replaceAll(`${home}/`, "~/") : text);
	return {
		key: isLive ? null : checkpoint.key,
		session: checkpoint.session,
		takenAt: checkpoint.at,
		form: isPr ? "pull_request" : "handoff",
		title: short(page.title),
		parts: page.parts.map(({ kind, heading, text }) => ({
			name: kind,
			title: heading,
			lines: short(text).split("\n"),
		})),
		text: redactSecrets(short(page.text)),
	};
}

/** The session as it is now, in the form of a checkpoint; nothing is saved. */
function livingCheckpoint(named: string | undefined, io: Io): Checkpoint {
	const session = meantSession(named, io);
	const content = readContent(presentOf(session, io));
	if (!content)
		throw new Error(
			`neither a transcript nor a workspace of session ${session.id} was found; 'ccg show latest --as handoff' takes the newest checkpoint`,
		);
	return { version: 1, key: "", at: io.now().toISOString(), session: session.id, trigger: "", ...content };
}
