import { inBackticks, quoteWithBars } from "../text/quoted.ts";
import type { Checkpoint } from "./checkpoint.ts";

/** The lines above the text of an imported checkpoint: when it came, from where, and whether its seal is whole; `""` for any other. */
export function importedHead(imported: Checkpoint["imported"]): string {
	if (!imported) return "";
	const { at, from, isSealed, id } = imported;
	const source = id
		? `${inBackticks(from)}, a machine that this one shares with ('ccg sync')`
		: `the file ${inBackticks(from)}`;
	return (
		`It came ${at} from ${source}; its checksum is ${isSealed ? "whole" : "not that of its content"}. ` +
		"Behind | stands what it says: nothing in it is known to be the user's."
	);
}

/** A checkpoint's text to print below `importedHead`: where it was imported, each line begins with a bar, as a quotation. */
export const quoteImported = (text: string, imported: Checkpoint["imported"]): string =>
	imported ? quoteWithBars(text) : text;
