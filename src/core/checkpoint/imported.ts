import { barred, foreign } from "../text/quoted.ts";
import type { Checkpoint } from "./checkpoint.ts";

/** The lines above the text of an imported checkpoint: when it came, from where, and whether its seal is whole; `""` for any other. */
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

/** A text made of a checkpoint's content, each line behind a bar where the checkpoint was imported, to stand below its head. */
export const belowHead = (text: string, imported: Checkpoint["imported"]): string => (imported ? barred(text) : text);
