import { homedir } from "node:os";
import type { Checkpoint } from "../core/checkpoint/checkpoint.ts";
import { redactDeep } from "../core/redact/secrets.ts";
import { safeDeep } from "../core/text/text.ts";
import { isSessionId } from "../store/paths.ts";
import { addCheckpoint, deleteCheckpoint, loadCheckpoint, storedCheckpoints } from "../store/recovery/checkpoints.ts";
import { parseCheckpoint } from "../store/recovery/read-checkpoint.ts";
import { refuseStoreLinks } from "../store/refuse-links.ts";
import { type Store, sessionAt } from "../store/session-handle.ts";
import { type Document, isSameProject, MAX_TEXT, machineIn, newValue, type Value } from "./document.ts";
import type { Said } from "./read.ts";
import type { Opened, SharedHere } from "./space.ts";

/** So many sessions of a project, those with the newest checkpoint. */
export const MOST = 20;
const LOOKED_AT = 200;
const ITEM = "session:";

/** The newest checkpoint of each of a project's sessions. One that was said before is not read again. */
export function planSessions({ store }: Opened, own: Document, shared: SharedHere): Value[] {
	const { key, marks, folder, withSessions } = shared;
	if (!withSessions) return [];
	const known = new Map(own.values.map((value) => [value.item + value.at, value]));
	const newest = new Map<string, string>();
	for (const one of storedCheckpoints(store, { project: key }, { most: LOOKED_AT, taken: true }))
		if (newest.size < MOST && !newest.has(one.sid)) newest.set(one.sid, `${one.key} ${one.at}`);
	return [...newest].flatMap(([sid, found]) => {
		const [name = "", at = ""] = found.split(" ");
		const item = ITEM + sid;
		const value = known.get(item + at);
		if (value && isSameProject(value.project, marks)) return value;
		const checkpoint = loadCheckpoint(sessionAt(store, sid), name);
		const text = checkpoint && textOf(checkpoint, folder);
		return text ? newValue(own, { item, kind: "session", project: marks, text, at }) : [];
	});
}

/** Of a long session the oldest of what it has most of is left out. */
function textOf(checkpoint: Checkpoint, folder: string): string | null {
	const { sha256: _, memories: _m, ...content } = checkpoint;
	const shared = redactDeep(inProject(content, folder)) as typeof content;
	const lists = shared.state as unknown as Record<string, unknown>;
	for (;;) {
		const text = JSON.stringify(shared);
		if (text.length <= MAX_TEXT) return text;
		const found = Object.entries(lists).filter((one): one is [string, unknown[]] => Array.isArray(one[1]));
		const [longest] = found.sort(([, a], [, b]) => JSON.stringify(b).length - JSON.stringify(a).length);
		if (!longest || longest[1].length === 0) return null;
		lists[longest[0]] = longest[1].slice(Math.ceil(longest[1].length / 4));
	}
}

/** Paths are told from the project's folder on, else from the home folder: where these lie is this machine's own. */
function inProject<T>(value: T, folder: string): T {
	if (typeof value === "string")
		return value.replaceAll(`${folder}/`, "").replaceAll(folder, ".").replaceAll(`${homedir()}/`, "~/") as T;
	if (Array.isArray(value)) return value.map((one) => inProject(one, folder)) as T;
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inProject(one, folder)])) as T;
}

/**
 * Puts a session of another machine where `ccg checkpoint restore` finds it, marked as that machine's, in the place of what it
 * had said of that session. Throws where it is none.
 */
export function takeSession(store: Store, shared: SharedHere, { value, by }: Said, now: Date): void {
	const sid = value.item.slice(ITEM.length);
	if (!isSessionId(sid)) throw new Error(`'${sid}' is no session`);
	refuseStoreLinks(store.root, sid);
	const session = sessionAt(store, sid);
	const known = storedCheckpoints(store, { sid });
	const before = known.flatMap(({ key, reason }) =>
		reason === "imported" ? (loadCheckpoint(session, key) ?? []) : [],
	);
	// one of this store's own stays as it is
	if (before.length < known.length || before.some(({ imported }) => imported?.id === value.id)) return;
	const { checkpoint, problem } = parseCheckpoint(value.text!);
	if (!checkpoint) throw new Error(`session ${sid} is no checkpoint: ${problem}`);
	const content = safeDeep(checkpoint) as Checkpoint;
	if (content.state.plan) content.state.plan.path = "";
	const taken = new Date(Math.min(Date.parse(checkpoint.at) || 0, now.getTime()));
	addCheckpoint(session, taken.getUTCFullYear() >= 2020 ? taken : now, {
		...content,
		// what lists and reports print bare
		trigger: "shared",
		reason: "imported",
		...{ memories: [], transcriptPath: "", projectDir: shared.folder, project: shared.key },
		imported: { at: now.toISOString(), from: by, isSealed: true, id: value.id },
	});
	for (const { key, imported } of before)
		if (imported?.id && machineIn(imported.id) === machineIn(value.id)) deleteCheckpoint(session, key);
}
