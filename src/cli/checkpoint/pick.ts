import { CHECKPOINT_TYPES, isCheckpointKey, keyParts } from "../../core/recovery/checkpoint-key.ts";
import { projectOf } from "../../store/project.ts";
import {
	candidates,
	type FoundBy,
	projectIn,
	type StoredCheckpoint,
	sessionsWith,
	storedCheckpoints,
} from "../../store/recovery/find-checkpoints.ts";
import type { Store } from "../../store/session-handle.ts";
import { isHeld } from "../support/held.ts";
import type { Io } from "../support/io.ts";
import { pickSession } from "../support/pick-session.ts";
import { type Judged, judge } from "./place.ts";

export interface Picked extends Judged, StoredCheckpoint {
	by: FoundBy | "its key";
}

export interface PickOptions {
	/** Of this session, by its id or the beginning of it; else of the project of `folder`. */
	session?: string | undefined;
	folder: string;
}

/**
 * The checkpoint that is meant: by its key or the beginning of it, by a type (the newest of it), or the newest of all. Without a
 * key those that are not fit are named and skipped. Throws when there is none.
 */
export function pickCheckpoint(
	store: Store,
	named: string | undefined,
	options: PickOptions,
	io: Io,
	now: Date,
): Picked {
	const sid = options.session === undefined ? undefined : pickSession(store, options.session, io, now);
	const where = sid === undefined ? { project: projectOf(options.folder).key } : { sid };
	const type = CHECKPOINT_TYPES.find((one) => one === named);
	if (named !== undefined && named !== "latest" && !type)
		return { ...picked(store, byKey(store, named, sid, where, io), io, now), by: "its key" };
	for (const { by, ...one } of candidates(store, where)) {
		if (type && keyParts(one.key)?.type !== type) continue;
		const judged = judge(store, one, io, now);
		// what came from a file is restored by its name alone
		if (judged.checkpoint?.imported) continue;
		if (judged.validation.valid) return { ...one, ...judged, by };
		io.err(`ccg: ${one.key} is skipped: ${whyNot(judged)}`);
	}
	const of = sid === undefined ? `this project (${projectOf(options.folder).root})` : `session ${sid}`;
	throw new Error(
		`there is no ${type ? `${type} ` : ""}checkpoint of ${of} that can be used; 'ccg checkpoint list --all' shows those of all projects`,
	);
}

const picked = (store: Store, one: StoredCheckpoint, io: Io, now: Date) => ({ ...one, ...judge(store, one, io, now) });

/** Why a checkpoint is not fit, in words. */
export const whyNot = ({ validation }: Judged): string =>
	validation.integrity.checks
		.filter(({ ok, must }) => !ok && must)
		.map(({ name, reason }) => `${name}: ${reason}`)
		.join("; ");

function byKey(
	store: Store,
	named: string,
	sid: string | undefined,
	where: { sid: string } | { project: string },
	io: Io,
): StoredCheckpoint {
	const sessions = isCheckpointKey(named)
		? sessionsWith(store, named).filter((one) => sid === undefined || one === sid)
		: [];
	const isHere = (one: StoredCheckpoint): boolean => "sid" in where || projectIn(store, one.sid) === where.project;
	const exact = sessions.map((one) => ({ sid: one, key: named }));
	const found =
		exact.length > 0 ? exact : storedCheckpoints(store, sid).filter(({ key }) => named !== "" && key.startsWith(named));
	const here = found.filter(isHere);
	const meant = here.length > 0 || isHeld(io) ? here : found;
	if (meant.length === 1) return meant[0]!;
	if (meant.length === 0)
		throw new Error(
			`no checkpoint '${named}' ${isHeld(io) ? "of this project " : ""}in ${store.root}; 'ccg checkpoint list' shows those there are`,
		);
	const names = meant.slice(0, 5).map((one) => `${one.key} of session ${one.sid}`);
	throw new Error(
		`'${named}' is ${meant.length} checkpoints: ${names.join(", ")}; give the whole key, and --session where several sessions have it`,
	);
}
