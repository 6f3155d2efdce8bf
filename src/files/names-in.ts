import { readdirSync } from "node:fs";

/** The names in a folder, in order; none where it can't be read. */
export function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder).sort();
	} catch {
		return [];
	}
}
