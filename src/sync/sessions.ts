import { homedir } from "node:os";
import type { Checkpoint } from "../core/checkpoint/checkpoint.ts";
import { redactDeep } from "../core/redact/secrets.ts";
import { safeDeep } from "../core/text/text.ts";
import { errorText } from "../files/system-failure.ts";
import { isSessionId } from "../store/paths.ts";
import {
	addCheckpoint,
	deleteCheckpoint,
	listStoredCheckpoints,
	parseCheckpoint,
	readCheckpoint,
} from "../store/recovery/checkpoints.ts";
import { refuseStoreLinks } from "../store/refuse-links.ts";
import { type Store, sessionHandle } from "../store/session-handle.ts";
import { type Document, MAX_TEXT, newValue, type Value } from "./document.ts";
import { type ForeignValue, MAX_SESSIONS } from "./notes.ts";
import type { OpenSpace, SharedProject } from "./space.ts";

const SESSION_ITEM = "session:";

/** Gives a value with the newest checkpoint of each of a project's newest sessions. One that was shared before is not read again. */
export function planSessions({ store }: OpenSpace, own: Document, shared: SharedProject): Value[] {
	const { key, mark, folder, withSessions } = shared;
	if (!withSessions) return [];
	const sharedBefore = new Map(own.values.map((value) => [value.item + value.at, value]));
	const stored = listStoredCheckpoints(store, { project: key }, { most: 200, ownOnly: true });
	const newest = [...Map.groupBy(stored, ({ sid }) => sid).values()].map((all) => all[0]!);
	return newest.slice(0, MAX_SESSIONS).flatMap(({ sid, key: name, at }) => {
		const item = SESSION_ITEM + sid;
		const value = sharedBefore.get(item + at);
		if (value?.project === mark) return value;
		const checkpoint = readCheckpoint(sessionHandle(store, sid), name);
		const text = checkpoint && sharedCheckpointText(checkpoint, folder);
		return text ? newValue(own, { item, kind: "session", project: mark, text, at }) : [];
	});
}

/**
 * Gives a checkpoint as JSON, of a long session the newest entries of each list; `null` where it is too long still. Paths begin at the
 * project's folder, else at the home folder: where these lie is this machine's own.
 */
function sharedCheckpointText(checkpoint: Checkpoint, folder: string): string | null {
	const { sha256: _, memories: _m, ...content } = checkpoint;
	const shared = redactDeep(content);
	const [here, home] = [folder, homedir()].map((path) => JSON.stringify(path).slice(1, -1)) as [string, string];
	for (const most of [Infinity, 100, 30, 10]) {
		const json = JSON.stringify(shared, (_, value) => (Array.isArray(value) ? value.slice(-most) : value));
		const text = json.replaceAll(`${here}/`, "").replaceAll(here, ".").replaceAll(`${home}/`, "~/");
		if (text.length <= MAX_TEXT) return text;
	}
	return null;
}

/**
 * Stores the sessions of other machines as checkpoints that `ccg checkpoint restore` finds, marked as that machine's, and deletes the stored
 * ones that no machine shares any more.
 */
export function storeSessions(opened: OpenSpace, shared: SharedProject, foreign: readonly ForeignValue[]): void {
	const { store, onProblem } = opened;
	const sessions = foreign.filter(({ value }) => value.kind === "session" && shared.withSessions);
	const missing = new Map(sessions.map((session) => [session.value.id, session]));
	for (const { sid, key, reason } of listStoredCheckpoints(store, { project: shared.key })) {
		const session = sessionHandle(store, sid);
		const importedId = reason === "imported" && readCheckpoint(session, key)?.imported?.id;
		if (importedId && !missing.delete(importedId)) deleteCheckpoint(session, key);
	}
	for (const session of missing.values())
		try {
			storeSession(store, shared, session);
		} catch (error) {
			onProblem(errorText(error));
		}
}

/** Stores another machine's session as a checkpoint, unless this store has that session. Throws for a value that holds no session. */
function storeSession(store: Store, { folder, key }: SharedProject, { value, by }: ForeignValue): void {
	const sid = value.item.slice(SESSION_ITEM.length);
	if (!isSessionId(sid)) throw new Error(`'${sid}' is no session`);
	refuseStoreLinks(store.root, sid);
	if (listStoredCheckpoints(store, { sid }, { most: 1, ownOnly: true }).length > 0) return;
	const { checkpoint, problem } = parseCheckpoint(value.text!);
	if (!checkpoint) throw new Error(`session ${sid} is no checkpoint: ${problem}`);
	const content = safeDeep(checkpoint) as Checkpoint;
	if (content.state.plan) content.state.plan.path = "";
	const now = new Date();
	const taken = new Date(Math.min(Date.parse(checkpoint.at) || 0, now.getTime()));
	addCheckpoint(sessionHandle(store, sid), taken.getUTCFullYear() >= 2020 ? taken : now, {
		...content,
		// constants, since lists and reports print these as they are
		trigger: "shared",
		reason: "imported",
		...{ memories: [], transcriptPath: "", projectDir: folder, project: key },
		imported: { at: now.toISOString(), from: by, isSealed: true, id: value.id },
	});
}
