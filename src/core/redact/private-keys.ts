import { eachMatch, type Range } from "./ranges.ts";
import { matchEnd } from "./value-at.ts";

const LABEL = "(?:[A-Z0-9]{2,12} ){0,4}(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1|SSH2 ENCRYPTED PRIVATE KEY)";
const BEGIN = new RegExp(`-{4,5} ?BEGIN ${LABEL} ?-{4,5}`, "g");
const END = new RegExp(`-{4,5} ?END ${LABEL} ?-{4,5}`, "g");
const END_HERE = new RegExp(END.source, "y");
/** Lines of a key whose end was cut off; line ends may be escaped and lines indented, quoted or numbered. */
const KEY_LINES = /(?:(?:\s|\\{1,8}[nr]|[>|+#*"',-]|\d{1,5}[\t→:|]){0,40}[A-Za-z0-9+/=]{16,}){1,400}/y;
const PUTTY =
	/Private-Lines:\s{0,3}\d{1,4}((?:(?:\s|\\{1,8}[nr]|[>|+"',]|\d{1,5}[\t→:|]){1,40}[A-Za-z0-9+/=]{8,}){1,400})/g;
const BODY_BEFORE = /[A-Za-z0-9+/=\s\\>|+"',→:]{0,8000}$/;

/**
 * Private key blocks (PEM, OpenSSH, PGP, SSH2, PuTTY), also with escaped line ends or cut off at either end. One pass: a block
 * ends at the next dashes.
 */
export function findPrivateKeys(text: string, found: Range[]): void {
	if (!HINT.test(text)) return;
	eachMatch(PUTTY, text, (match) => {
		const end = match.index + match[0].length;
		found.push({ start: end - match[1]!.length, end, kind: "private-key" });
	});
	let done = 0;
	BEGIN.lastIndex = 0;
	for (let begin = BEGIN.exec(text); begin; begin = BEGIN.exec(text)) {
		const body = begin.index + begin[0].length;
		const dashes = DASHES.exec(text.slice(body, body + MAX_KEY))?.index;
		const end =
			(dashes === undefined ? null : matchEnd(END_HERE, text, body + dashes)) ?? matchEnd(KEY_LINES, text, body);
		if (end === null) continue;
		found.push({ start: begin.index, end, kind: "private-key" });
		done = end;
		BEGIN.lastIndex = end;
	}
	END.lastIndex = done;
	const end = END.exec(text);
	if (!end) return;
	// its beginning was cut off
	const before = BODY_BEFORE.exec(text.slice(Math.max(done, end.index - 8000), end.index))![0];
	const head = before.search(/[A-Za-z0-9+/=]{20}/);
	if (head >= 0) found.push({ start: end.index - before.length + head, end: END.lastIndex, kind: "private-key" });
}

const HINT = /PRIVATE KEY|Private-Lines|OpenVPN Static/;
const DASHES = /-{4,5} ?[A-Z]|-----/;
/** A longer block is no key: what follows is looked at as lines. */
const MAX_KEY = 64 * 1024;
