import { homedir } from "node:os";
import type { Checkpoint } from "../core/checkpoint/checkpoint.ts";
import { redactDeep } from "../core/redact/secrets.ts";
import { safeDeep } from "../core/text/text.ts";
import { whyOf } from "../files/system-failure.ts";
import { isSessionId } from "../store/paths.ts";
import {
	addCheckpoint,
	deleteCheckpoint,
	loadCheckpoint,
	parseCheckpoint,
	storedCheckpoints,
} from "../store/recovery/checkpoints.ts";
import { refuseStoreLinks } from "../store/refuse-links.ts";
import { type Store, sessionAt } from "../store/session-handle.ts";
import { type Document, MAX_TEXT, newValue, type Value } from "./document.ts";
import { MAX_SESSIONS, type Said } from "./notes.ts";
import type { Opened, SharedHere } from "./space.ts";

const ITEM = "session:";

/** Gives a value for the newest checkpoint of each of a project's newest sessions. One that was shared before is not read again. */
export function planSessions({ store }: Opened, own: Document, shared: SharedHere): Value[] {
	const { key, mark, folder, withSessions } = shared;
	if (!withSessions) return [];
	const sharedBefore = new Map(own.values.map((value) => [value.item + value.at, value]));
	const stored = storedCheckpoints(store, { project: key }, { most: 200, taken: true });
	const newest = [...Map.groupBy(stored, ({ sid }) => sid).values()].map((all) => all[0]!);
	return newest.slice(0, MAX_SESSIONS).flatMap(({ sid, key: name, at }) => {
		const item = ITEM + sid;
		const value = sharedBefore.get(item + at);
		if (value?.project === mark) return value;
		const checkpoint = loadCheckpoint(sessionAt(store, sid), name);
		const text = checkpoint && checkpointText(checkpoint, folder);
		return text ? newValue(own, { item, kind: "session", project: mark, text, at }) : [];
	});
}

/**
 * Gives a checkpoint as JSON, of a long session the newest entries of each list; `null` where it is too long still. Paths begin at the
 * project's folder, else at the home folder: where these lie is this machine's own.
 */
function checkpointText(checkpoint: Checkpoint, folder: string): string | null {
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
export function takeSessions({ store, tell }: Opened, shared: SharedHere, said: readonly Said[]): void {
	const sessions = said.filter(({ value }) => value.kind === "session" && shared.withSessions);
	const due = new Map(sessions.map((one) => [one.value.id, one]));
	for (const { sid, key, reason } of storedCheckpoints(store, { project: shared.key })) {
		const session = sessionAt(store, sid);
		const id = reason === "imported" && loadCheckpoint(session, key)?.imported?.id;
		if (id && !due.delete(id)) deleteCheckpoint(session, key);
	}
	for (const one of due.values())
		try {
			takeSession(store, shared, one);
		} catch (error) {
			tell(whyOf(error));
		}
}

/** Stores a session of another machine; one of this store's own stays as it is. Throws for a value that holds no session. */
function takeSession(store: Store, { folder, key }: SharedHere, { value, by }: Said): void {
	const sid = value.item.slice(ITEM.length);
	if (!isSessionId(sid)) throw new Error(`'${sid}' is no session`);
	refuseStoreLinks(store.root, sid);
	if (storedCheckpoints(store, { sid }, { most: 1, taken: true }).length > 0) return;
	const { checkpoint, problem } = parseCheckpoint(value.text!);
	if (!checkpoint) throw new Error(`session ${sid} is no checkpoint: ${problem}`);
	const content = safeDeep(checkpoint) as Checkpoint;
	if (content.state.plan) content.state.plan.path = "";
	const now = new Date();
	const taken = new Date(Math.min(Date.parse(checkpoint.at) || 0, now.getTime()));
	addCheckpoint(sessionAt(store, sid), taken.getUTCFullYear() >= 2020 ? taken : now, {
		...content,
		// what lists and reports print bare
		trigger: "shared",
		reason: "imported",
		...{ memories: [], transcriptPath: "", projectDir: folder, project: key },
		imported: { at: now.toISOString(), from: by, isSealed: true, id: value.id },
	});
}
