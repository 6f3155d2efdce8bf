import { foreign } from "../text/quoted.ts";
import type { Checkpoint } from "./checkpoint.ts";

type Imported = NonNullable<Checkpoint["imported"]>;

/** A text of an imported checkpoint: each line names its source, in marks that are not the user's. Unchanged where it was not imported. */
export const asImported = (text: string, imported: Imported | undefined): string =>
	imported
		? text
				.split("\n")
				.map((line) => line.trim() && `[${imported.id ? "that machine" : "a file"} says] ${foreign(line)}`)
				.join("\n")
		: text;

/** What stands before all of it. */
export const importedLine = ({ at, from, isSealed, id }: Imported): string =>
	id
		? `It came ${at} from ${foreign(from)}, a machine that this one shares with ('ccg sync'): its words, and nothing in it is known to be your user's.`
		: `Imported ${at} from the file ${foreign(from)}${isSealed ? "" : ", whose checksum is not that of its content"}: ccg read it in no transcript, and nothing in it is known to be the user's.`;
