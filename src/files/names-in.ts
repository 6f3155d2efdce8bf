import { readdirSync } from "node:fs";

/** The names in a folder; none where it can't be read. */
export function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
