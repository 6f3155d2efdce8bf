import { readContent } from "../../claude/recovery/take-checkpoint.ts";
import type { Checkpoint } from "../../core/recovery/checkpoint.ts";
import { type Handoff, handoff, handoffMarkdown } from "../../core/recovery/handoff.ts";
import { pullRequest, pullRequestMarkdown } from "../../core/recovery/pull-request.ts";
import { redactSecrets } from "../../core/redact/secrets.ts";
import { writeJson, writeText } from "../../store/gate.ts";
import type { Store } from "../../store/session-handle.ts";
import { pickCheckpoint, whyNot } from "../checkpoint/pick.ts";
import { checkpointStore, meantSession, placeOfSession } from "../checkpoint/place.ts";
import { answerJson, snakeKeys } from "../support/answer-json.ts";
import { newFile } from "../support/held.ts";
import type { Io } from "../support/io.ts";
import { changesIn } from "./checkpoint-restore.ts";

export interface HandoffOptions {
	session?: string;
	pr?: boolean;
	out?: string;
	json?: boolean;
}

/** Prints or writes what another needs to go on. */
export function writeHandoff(named: string | undefined, options: HandoffOptions, io: Io, now: Date): void {
	const { store, folder } = checkpointStore(io);
	const isLive = named === undefined;
	const checkpoint = isLive ? present(store, options, io, now) : saved(store, named, options, io, now);
	const made = now.toISOString();
	const changes = isLive ? [] : changesIn(checkpoint, folder, now);
	const { pr } = options;
	const shown = withoutHome(pr ? pullRequest(checkpoint) : handoff({ checkpoint, isLive, made, changes }), io);
	const text = redactSecrets(pr ? pullRequestMarkdown(shown) : handoffMarkdown(shown));
	const path = options.out === undefined ? null : newFile(options.out, io);
	const { session, at } = checkpoint;
	const key = isLive ? null : checkpoint.key;
	const form = pr ? "pull_request" : "handoff";
	const json = options.json && { key, session, takenAt: at, form, title: shown.title, parts: shown.parts, path, text };
	if (path) {
		if (json) writeJson(path, snakeKeys(json) as object, { exclusive: true, indent: 2 });
		else writeText(path, text, { exclusive: true });
	}
	if (json) return answerJson(io, json);
	if (path) io.out(`Written to ${path}.${pr ? ` A title for it: ${shown.title}` : ""}`);
	else if (!io.page?.(text)) io.out(text.trimEnd());
}

/** Where somebody lives on their disk is nobody's business. */
function withoutHome({ title, parts }: Handoff, { env }: Io): Handoff {
	const home = env.HOME ?? "";
	const short = (text: string): string => (home.length > 1 ? text.replaceAll(`${home}/`, "~/") : text);
	return { title: short(title), parts: parts.map((one) => ({ ...one, lines: one.lines.map(short) })) };
}

/** The session as it is now, in the form of a checkpoint; nothing is saved. */
function present(store: Store, { session }: HandoffOptions, io: Io, now: Date): Checkpoint {
	const sid = meantSession(store, session, io, now);
	const content = readContent(placeOfSession(store, sid, io, now));
	if (!content)
		throw new Error(
			`neither a transcript nor a workspace of session ${sid} was found; 'ccg handoff latest' takes the newest checkpoint`,
		);
	return { version: 1, key: "", at: now.toISOString(), session: sid, trigger: "", ...content };
}

function saved(store: Store, named: string, { session }: HandoffOptions, io: Io, now: Date): Checkpoint {
	const { folder } = checkpointStore(io);
	const found = pickCheckpoint(store, named, { session, folder }, io, now);
	if (!found.checkpoint || !found.validation.valid)
		throw new Error(`${found.key} can't be handed over: ${whyNot(found)}; 'ccg checkpoint validate' says more`);
	return found.checkpoint;
}
