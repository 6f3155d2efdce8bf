/** What is kept; `ccg gc` deletes the rest. */
export interface Retention {
	/** Sessions, reports, damaged files and rotated logs nobody touched for longer go. */
	maxAgeDays: number;
	/** The sessions seen last. */
	maxSessions: number;
	/** Of each session, the newest. */
	maxCheckpoints: number;
	maxReports: number;
	/** Of all sessions together; the ones not seen for longest go first. */
	maxBytes: number;
}

/** A session as retention looks at it. */
export interface StoredSession {
	id: string;
	/** Since anything of it was touched. */
	ageMs: number;
	bytes: number;
	/** It may be running: never deleted. */
	live: boolean;
	/** It holds a task that is not finished: neither count nor bytes delete it, only age. */
	pinned?: boolean;
}

const DAY_MS = 86_400_000;

/** The sessions to delete, each with the reason. Live ones count towards the limits and stay. */
export function sessionsToDelete(
	sessions: readonly StoredSession[],
	{ maxAgeDays, maxSessions, maxBytes }: Retention,
): { id: string; reason: string }[] {
	const newestFirst = sessions.toSorted((a, b) => Number(b.live) - Number(a.live) || a.ageMs - b.ageMs);
	const doomed: { id: string; reason: string }[] = [];
	let count = 0;
	let bytes = 0;
	for (const one of newestFirst) {
		const reason = one.live
			? null
			: one.ageMs > maxAgeDays * DAY_MS
				? `not touched for ${Math.floor(one.ageMs / DAY_MS)} days (more than ${maxAgeDays})`
				: one.pinned
					? null
					: count >= maxSessions
						? `${maxSessions} newer sessions are kept`
						: bytes + one.bytes > maxBytes
							? `the newer sessions fill ${maxBytes} bytes`
							: null;
		if (reason !== null) {
			doomed.push({ id: one.id, reason });
			continue;
		}
		count++;
		bytes += one.bytes;
	}
	return doomed;
}

/** A file of which only the newest are kept. */
export interface KeptFile {
	path: string;
	ageMs: number;
	/** Something points to it: stays. */
	pinned?: boolean;
}

/** The files to delete, each with the reason: too old, or beyond the newest `most`. */
export function filesToDelete(
	files: readonly KeptFile[],
	{ most, maxAgeDays, what }: { most: number; maxAgeDays: number; what: string },
): { path: string; reason: string }[] {
	return files
		.toSorted((a, b) => a.ageMs - b.ageMs)
		.flatMap(({ path, ageMs, pinned }, i) => {
			if (pinned) return [];
			if (ageMs > maxAgeDays * DAY_MS)
				return [{ path, reason: `${what}, ${Math.floor(ageMs / DAY_MS)} days old (more than ${maxAgeDays})` }];
			return i >= most ? [{ path, reason: `${what}, ${most} newer ones are kept` }] : [];
		});
}
