import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../files/names-in.ts";
import { quietly } from "../atomic-write.ts";
import { createFirst } from "../gate.ts";
import { readText } from "../json-file.ts";
import type { Session } from "../session-handle.ts";

/**
 * True for the first who injects this checkpoint at this kind of start, false for all others; with `againAfterMs`, true
 * again for the first who asks that much later (a session may be resumed many times).
 *
 * Each time is a file of its own, `<key>.<source>`, then `.1`, `.2`: of all who saw the same last one, only one can create the
 * next. A file that is renamed or set anew would be taken from the winner by a slower one.
 */
export function claimInjection(
	session: Session,
	key: string,
	source: string,
	{ now, againAfterMs = Number.POSITIVE_INFINITY }: { now: Date; againAfterMs?: number | undefined },
): boolean {
	const folder = session.paths.injected;
	const name = `${key}.${source}`;
	const last = timesInjected(folder, name).at(-1);
	if (last !== undefined) {
		const lastMs = timeOf(pathOf(folder, name, last));
		if (lastMs === null || Math.abs(now.getTime() - lastMs) < againAfterMs) return false;
	}
	const mine = last === undefined ? 0 : last + 1;
	if (!create(pathOf(folder, name, mine), now)) return false;
	const times = timesInjected(folder, name);
	// one who was asleep while others took their turns: the number was free again
	const isLate = times.some((time) => time > mine);
	const gone = isLate ? [mine] : times.filter((time) => time < mine - 1);
	for (const time of gone) quietly(() => unlinkSync(pathOf(folder, name, time)));
	return !isLate;
}

/** When this checkpoint was last injected at this kind of start, in milliseconds; `null` when it was not. */
export function injectedAt(session: Session, key: string, source: string): number | null {
	const folder = session.paths.injected;
	const name = `${key}.${source}`;
	const last = timesInjected(folder, name).at(-1);
	return last === undefined ? null : timeOf(pathOf(folder, name, last));
}

function timeOf(path: string): number | null {
	const told = Date.parse(readText(path) ?? "");
	return Number.isNaN(told) ? null : told;
}

const pathOf = (folder: string, name: string, time: number): string =>
	join(folder, time === 0 ? name : `${name}.${time}`);

/** The numbers of the files there are, in order. */
function timesInjected(folder: string, name: string): number[] {
	const names = namesIn(folder);
	const rests = names.filter((one) => one.startsWith(name)).map((one) => one.slice(name.length));
	return rests
		.filter((rest) => rest === "" || /^\.[1-9]\d{0,8}$/.test(rest))
		.map((rest) => Number(rest.slice(1)))
		.sort((a, b) => a - b);
}

/** Whole, with its time in it: who sees the file sees when. False where it is there already. */
const create = (path: string, now: Date): boolean => createFirst(path, now.toISOString());
