import { quietJson } from "../../core/transcript/quiet-json.ts";

const [OPEN, COLON, SPACE, TAB] = [0x7b, 0x3a, 0x20, 0x09];
/** The first key of a line ends before. */
const FIRST_KEY = 200;

/**
 * A line as Claude Code writes it. Other programs put spaces behind colons and commas (Python's `json.dumps`), and marks are looked
 * for by their bytes: such a line is written anew. What can't be parsed stays.
 */
export function withoutSpaces(line: Buffer): Buffer {
	if (!isSpaced(line)) return line;
	const value = quietJson(line.toString("utf8"));
	return value === undefined ? line : Buffer.from(JSON.stringify(value));
}

function isSpaced(line: Buffer): boolean {
	if (line[0] !== OPEN) return line[0] === SPACE || line[0] === TAB;
	if (line[1] === SPACE || line[1] === TAB) return true;
	const colon = line.subarray(0, FIRST_KEY).indexOf(COLON);
	return colon > 0 && (line[colon + 1] === SPACE || line[colon - 1] === SPACE || line[colon + 1] === TAB);
}
