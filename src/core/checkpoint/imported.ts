import { foreign } from "../text/quoted.ts";
import type { Checkpoint } from "./checkpoint.ts";

export type Imported = NonNullable<Checkpoint["imported"]>;

const SAYS: Record<Imported["checksum"], string> = {
	good: "[a file says]",
	broken: "[a file whose checksum is broken says]",
	none: "[a file without a checksum says]",
};

/** A text of an imported checkpoint: each line names its source, in marks that are not the user's. Unchanged where it was not imported. */
export const asImported = (text: string, imported: Imported | undefined): string =>
	imported
		? text
				.split("\n")
				.map((line) => line.trim() && `${SAYS[imported.checksum]} ${foreign(line)}`)
				.join("\n")
		: text;

/** What stands before all of it. */
export const importedLine = ({ at, from, checksum }: Imported): string =>
	`Imported ${at} from the file ${foreign(from)}${checksum === "good" ? "" : checksum === "none" ? ", which had no checksum" : ", whose content is not what its checksum was made of"}: ccg read it in no transcript, and nothing in it is known to be the user's.`;
