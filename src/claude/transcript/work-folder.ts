import { eventLine } from "./event-line.ts";
import { forEachLine, openTranscript } from "./transcript-file.ts";

/** The first messages stand here. */
const HEAD = 2 * 1024 * 1024;

/** The folder a session began in, by its transcript; `null` where it tells none or can't be read. */
export function workFolderOf(path: string): string | null {
	try {
		const file = openTranscript(path);
		try {
			let folder: string | null = null;
			forEachLine(file, 0, Math.min(HEAD, file.size), (line, pos) => {
				const place = eventLine(line, pos)?.events.find((event) => event.kind === "place");
				if (place?.kind === "place") folder = place.cwd;
				return folder === null;
			});
			return folder;
		} finally {
			file.close();
		}
	} catch {
		return null;
	}
}
