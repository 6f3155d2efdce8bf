import { lstatSync, readdirSync, readlinkSync, type Stats, statfsSync, statSync } from "node:fs";

/** Runs `act` and gives its result, `undefined` where it throws: for work whose failure changes nothing. */
export function tryOrUndefined<T>(act: () => T): T | undefined {
	try {
		return act();
	} catch {
		return undefined;
	}
}

/** Runs optional work and gives its result; where it throws, or `isTimeUp` says so before it, logs why and gives `null`. `name`: what the work is. */
export function tryOrLog<T>(
	log: (reason: unknown) => void,
	act: () => T,
	{ name, isTimeUp }: { name?: string; isTimeUp?: (() => boolean) | undefined } = {},
): T | null {
	try {
		if (!isTimeUp?.()) return act();
		log(`left out for want of time: ${name}`);
	} catch (error) {
		log(error);
	}
	return null;
}

/** The size of a file in bytes; 0 where there is none. */
export const fileSize = (path = ""): number => tryStat(path)?.size ?? 0;

/** The `stat` of the file that a path leads to, also by links; `undefined` where it is missing or can't be read. */
export const tryStat = (path: string): Stats | undefined =>
	tryOrUndefined(() => statSync(path, { throwIfNoEntry: false }));

/** The `lstat` of a path: of a link itself, not of its target; `undefined` where it is missing or can't be read. */
export const tryLstat = (path: string): Stats | undefined =>
	tryOrUndefined(() => lstatSync(path, { throwIfNoEntry: false }));

/** Types of local file systems (statfs(2)): ext4, xfs, btrfs, overlay, tmpfs, zfs, f2fs; on a Mac hfs and apfs. */
const LOCAL_TYPES = [0xef53, 0x58465342, 0x9123683e, 0x794c7630, 0x01021994, 0x2fc12fc1, 0xf2f52010, 17, 26];

/** Whether a file lies on a disk of this machine, and not on a network. */
export const isOnLocalDisk = (path: string): boolean =>
	LOCAL_TYPES.includes(tryOrUndefined(() => statfsSync(path).type) ?? 0);

/** The target of a symbolic link, as it is written; `undefined` where the path is no link. */
export const readLinkTarget = (path: string): string | undefined => tryOrUndefined(() => readlinkSync(path));

/** The names in a folder, in order; none where it can't be read. */
export const listFolder = (folder: string): string[] => tryOrUndefined(() => readdirSync(folder).sort()) ?? [];
