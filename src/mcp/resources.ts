import { isCheckpointKey } from "../core/checkpoint/checkpoint-key.ts";
import { barred } from "../core/text/quoted.ts";

import { readBytes } from "../store/json-file.ts";
import { isSessionId } from "../store/paths.ts";
import { checkpointPath, storedCheckpoints } from "../store/recovery/checkpoints.ts";
import { inProjectOf } from "../store/session/place.ts";
import { sessionAt } from "../store/session-handle.ts";
import { memoriesOf, notesText } from "./memories.ts";
import type { CallPlace } from "./place.ts";

/** A note file or a checkpoint, as a client lists it. */
export interface ListedResource {
	uri: string;
	name: string;
	mimeType: "text/markdown";
}

/** Listed of each kind, the newest first. */
const MOST = 10;
/** Sessions looked at for those of the project. */
const MOST_LOOKED = 200;

const MEMORY = "ccg://memory/";
const CHECKPOINT = "ccg://checkpoint/";

/** The project's notes, and the latest checkpoint of each of its last sessions. */
export function resourcesOf(place: CallPlace): ListedResource[] {
	const notes = memoriesOf(place).slice(0, MOST + 1);
	const checkpoints = latestCheckpoints(place);
	return [
		...notes.map(({ name }) =>
			listed(MEMORY + name, name === "MEMORY.md" ? "notes" : `daily log ${name.slice(4, -3)}`),
		),
		...(checkpoints.length > 0 ? [listed(`${CHECKPOINT}latest`, "latest checkpoint")] : []),
		...checkpoints.map(({ sid, key }) =>
			listed(`${CHECKPOINT}${sid}/${key}`, `checkpoint of session ${sid.slice(0, 8)}`),
		),
	];
}

const listed = (uri: string, name: string): ListedResource => ({ uri, name, mimeType: "text/markdown" });

/** The text of a resource; `null` where the project has none of that name. */
export function resourceText(place: CallPlace, uri: string): string | null {
	if (uri.startsWith(MEMORY)) {
		const file = memoriesOf(place).find(({ name }) => MEMORY + name === uri);
		return file ? quoted(file.path, notesText(file)) : null;
	}
	const path = uri.startsWith(CHECKPOINT) ? pathOfCheckpoint(place, uri.slice(CHECKPOINT.length)) : null;
	if (path === null) return null;
	const read = readBytes(path, { follow: false });
	if (read.state === "unreadable") throw new Error(`${path} could not be read: ${read.reason}`);
	return read.state === "good" ? quoted(path, read.text) : null;
}

const quoted = (path: string, text: string): string => `From ${path}, behind | quoted as data:\n\n${barred(text)}`;

function pathOfCheckpoint(place: CallPlace, name: string): string | null {
	if (name === "latest") {
		const [latest] = latestCheckpoints(place, 1);
		return latest ? checkpointPath(sessionAt(place, latest.sid), latest.key) : null;
	}
	const [sid, key, ...more] = name.split("/");
	if (!isSessionId(sid) || !key || !isCheckpointKey(key) || more.length > 0) return null;
	return inProjectOf(place, place.folder)(sid) ? checkpointPath(sessionAt(place, sid), key) : null;
}

/** The newest checkpoint of each of the project's sessions that have one. */
function latestCheckpoints(place: CallPlace, most = MOST): { sid: string; key: string }[] {
	const isHere = inProjectOf(place, place.folder);
	const newest = new Map<string, string>();
	for (const { sid, key, reason } of storedCheckpoints(place))
		if (reason !== "imported" && !newest.has(sid)) newest.set(sid, key);
	const found = [...newest].slice(0, MOST_LOOKED).filter(([sid]) => isHere(sid));
	return found.slice(0, most).map(([sid, key]) => ({ sid, key }));
}
