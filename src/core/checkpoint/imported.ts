import { barred, foreign } from "../text/quoted.ts";
import type { Checkpoint } from "./checkpoint.ts";

/** What stands above a text that was imported: since when it is here, from where, and whether its seal is whole. `""` for any other. */
export function importedHead(imported: Checkpoint["imported"]): string {
	if (!imported) return "";
	const { at, from, isSealed, id } = imported;
	const source = id
		? `${foreign(from)}, a machine that this one shares with ('ccg sync')`
		: `the file ${foreign(from)}`;
	return (
		`It came ${at} from ${source}; its checksum is ${isSealed ? "whole" : "not that of its content"}. ` +
		"Behind | stands what it says: nothing in it is known to be the user's."
	);
}

/** A text made of a checkpoint's content, as it stands below the head: behind a bar where it was imported. */
export const belowHead = (text: string, imported: Checkpoint["imported"]): string => (imported ? barred(text) : text);
