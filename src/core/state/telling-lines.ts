import { cut, oneLine, safeText } from "../text/text.ts";

/** A short output is told whole; of a longer one so many lines, each of so many characters. */
const WHOLE = 200;
const LINES = 3;
const LINE = 120;
/** What is looked at of an output: how it went stands at its end. */
const END = 4_000;

const TELLING =
	/\b\d+ (?:passed|passing|failed|failing|tests?|errors?|warnings?|problems?|issues?|files? changed|insertions?|deletions?)\b|\b(?:error|failed|failure|fatal|panic|exception|cannot|not found|denied|undefined|mismatch|expected|created|merged|rejected|up to date|listening|deployed|published)\b|^(?:ok|PASS|FAIL|---)\b|\bhttps?:\/\/|->/i;

/** Of a command's output the lines that tell how it went or what it gave, on one line and made safe; `""` where none does. */
export function tellingLines(text: string): string {
	const end = text.slice(-END).trim();
	if (!end) return "";
	if (text.length <= END && end.length <= WHOLE) return oneLine(safeText(end));
	// the first line was cut: what is left of a secret there is not known for one
	const lines = safeText(end)
		.split("\n")
		.slice(text.length > END ? 1 : 0)
		.filter((line) => TELLING.test(line.slice(0, 1_000)));
	return lines
		.slice(-LINES)
		.map((line) => cut(oneLine(line), LINE))
		.join(" | ");
}
