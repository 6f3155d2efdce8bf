import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats, statSync } from "node:fs";

/** What `act` gives, `undefined` where it throws: for what may fail without changing anything. */
export function quietly<T>(act: () => T): T | undefined {
	try {
		return act();
	} catch {
		return undefined;
	}
}

/** A part that may fail without the rest failing, and is left out where the time is spent: `null` then, and why is logged. */
export function attempt<T>(
	log: (reason: unknown) => void,
	act: () => T,
	{ name, isSpent }: { name?: string; isSpent?: (() => boolean) | undefined } = {},
): T | null {
	try {
		if (!isSpent?.()) return act();
		log(`left out for want of time: ${name}`);
	} catch (error) {
		log(error);
	}
	return null;
}

/** Bytes of a file; 0 where there is none. */
export const sizeOf = (path = ""): number => quietStat(path)?.size ?? 0;

/** What a path leads to; `undefined` where there is nothing, or nothing that may be looked at. */
export const quietStat = (path: string): Stats | undefined => quietly(() => statSync(path, { throwIfNoEntry: false }));

/** The same of the path itself, which may be a link. */
export const quietLstat = (path: string): Stats | undefined =>
	quietly(() => lstatSync(path, { throwIfNoEntry: false }));

/** Where a link points, as it is written; `undefined` when it is none. */
export const linkText = (path: string): string | undefined => quietly(() => readlinkSync(path));

/** The names in a folder, in order; none where it can't be read. */
export const namesIn = (folder: string): string[] => quietly(() => readdirSync(folder).sort()) ?? [];

/** What a folder holds; nothing where it can't be read. */
export const entriesOf = (folder: string): Dirent[] =>
	quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
