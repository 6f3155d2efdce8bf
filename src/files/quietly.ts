import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats, statSync } from "node:fs";

/** Runs `act` and gives its result, `undefined` where it throws: for work whose failure changes nothing. */
export function quietly<T>(act: () => T): T | undefined {
	try {
		return act();
	} catch {
		return undefined;
	}
}

/** Runs `act`, a part that the rest can do without, and gives its result. `null`, and the reason logged, where it throws or time is spent. */
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

/** The size of a file in bytes; 0 where there is none. */
export const sizeOf = (path = ""): number => quietStat(path)?.size ?? 0;

/** The facts of the file that a path leads to; `undefined` where there is none, or it may not be looked at. */
export const quietStat = (path: string): Stats | undefined => quietly(() => statSync(path, { throwIfNoEntry: false }));

/** The facts of the path itself, which may be a link. */
export const quietLstat = (path: string): Stats | undefined =>
	quietly(() => lstatSync(path, { throwIfNoEntry: false }));

/** The target of a symbolic link, as it is written; `undefined` where the path is no link. */
export const linkText = (path: string): string | undefined => quietly(() => readlinkSync(path));

/** The names in a folder, in order; none where it can't be read. */
export const namesIn = (folder: string): string[] => quietly(() => readdirSync(folder).sort()) ?? [];

/** The entries of a folder with their types; none where it can't be read. */
export const entriesOf = (folder: string): Dirent[] =>
	quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
