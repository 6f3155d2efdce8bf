import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder that holds `.git`, at or above `folder`; `null` outside of git. Reads no file, starts no process. */
export function gitTop(folder: string): string | null {
	for (let at = folder; ; at = dirname(at)) {
		if (existsSync(join(at, ".git"))) return at;
		if (at === dirname(at)) return null;
	}
}
