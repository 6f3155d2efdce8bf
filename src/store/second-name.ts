import { lstatSync, readdirSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";

/** Throws when the file has a name in another folder too: what is written to it would change that one. */
export function refuseSecondName(path: string, stat: Pick<Stats, "nlink" | "ino">): void {
	if (stat.nlink < 2 || stat.nlink <= namesBeside(path, stat.ino)) return;
	const message = `${path} is a hard link: another file is the same one; put a copy of it in its place (cp, then mv)`;
	throw Object.assign(new Error(message), { code: "EMLINK" });
}

/** A process killed while it published a file leaves a second name beside it. */
function namesBeside(path: string, ino: number): number {
	const folder = dirname(path);
	return readdirSync(folder).filter((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.ino === ino)
		.length;
}
