import { saveDue } from "../../claude/recovery/save-due.ts";
import { savedReport } from "../../core/recovery/checkpoints/reports.ts";
import { type Due, HIGH_USE } from "../../core/recovery/checkpoints/triggers.ts";
import { safeText } from "../../core/text/text.ts";
import { loadConfig } from "../../store/config/config.ts";
import { readablePath } from "../../store/recovery/checkpoints.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { checkpointStore, judge, meantSession, placeOfSession } from "../checkpoint/place.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { say } from "../support/say.ts";

export interface SaveOptions {
	session?: string;
	json?: boolean;
	/** Started by a measurement, with nobody to read what it prints. */
	auto?: boolean;
}

const MAX_NOTE = 2_000;
const WAIT_MS = 10_000;

/** Saves the state of a session now. The note is the user's own. */
export function save(note: string, options: SaveOptions, io: Io, now: Date): void {
	const { store } = checkpointStore(io);
	const sid = meantSession(store, options.session, io, now);
	const { config } = loadConfig(store.root, { sid, tell: io.tell });
	const due: Due = options.auto
		? HIGH_USE
		: { trigger: "manual_request", reason: "asked for with 'ccg checkpoint save'" };
	if (note.length > MAX_NOTE) throw new Error(`the note has ${note.length} characters; ${MAX_NOTE} is the most`);
	const checkpoint = saveDue(placeOfSession(store, sid, io, now), [due], {
		note: safeText(note) || undefined,
		keep: config.retention.maxCheckpoints,
		waitMs: WAIT_MS,
	});
	if (!checkpoint) {
		if (options.auto) return;
		throw new Error(`nothing was saved of session ${sid}: neither its transcript nor a workspace was found`);
	}
	const session = sessionAt(store, sid);
	const { validation, bytes } = judge(store, { sid, key: checkpoint.key }, io, now);
	if (!validation.valid) io.exit(1);
	const { key, at, trigger, type } = checkpoint;
	// its readable form is written when somebody restores it
	const path = readablePath(session, key);
	if (options.json) return answerJson(io, { key, type, trigger, at, session: sid, path, bytes, validation });
	for (const line of savedReport(checkpoint, validation)) io.out(line);
	say(`3. To read it: ccg checkpoint show ${key}`, io);
}
