/**
 * A hybrid logical clock: 12 hexadecimal digits of milliseconds, 4 of a counter, so that texts sort as moments do. It never goes back,
 * and a machine's next moment lies behind all that it has seen.
 */
export type Clock = string;

export const CLOCK = /^[0-9a-f]{16}$/;
export const BEGINNING: Clock = "0".repeat(16);

/** A clock that is further ahead than this is said, and ours does not follow it. */
const MOST_AHEAD_MS = 60 * 60_000;

const made = (ms: number, counter: number): Clock =>
	ms.toString(16).padStart(12, "0") + counter.toString(16).padStart(4, "0");

/** The milliseconds since 1970 in it. */
export const clockMs = (clock: Clock): number => Number.parseInt(clock.slice(0, 12), 16);

/** The last moment that is not too far ahead. */
export const lastMoment = (nowMs: number): Clock => made(Math.floor(nowMs) + MOST_AHEAD_MS, 0xffff);
export const isAhead = (clock: Clock, nowMs: number): boolean => clock > lastMoment(nowMs);

/** The moment after `last`: the time of day, where that is later. */
export function nextClock(last: Clock, nowMs: number): Clock {
	const [ms, counter] = [clockMs(last), Number.parseInt(last.slice(12), 16)];
	if (nowMs > ms) return made(Math.floor(nowMs), 0);
	return counter < 0xffff ? made(ms, counter + 1) : made(ms + 1, 0);
}
