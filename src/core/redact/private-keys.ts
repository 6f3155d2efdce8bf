import { marker } from "./marker.ts";

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
/** Lines of a key whose end was cut off; line ends may be escaped and lines indented, quoted or numbered. */
const KEY_LINES = /(?:(?:\s|\\[nr]|[>|+#*]|\d{1,5}[\t→:|]){0,40}[A-Za-z0-9+/=]{16,}){1,400}/y;

/** Private key blocks (PEM, OpenSSH, PGP), also with escaped line ends or cut off. One pass: a block ends at the next dashes. */
export function redactPrivateKeys(text: string): string {
	if (!text.includes("PRIVATE KEY")) return text;
	let result = "";
	let done = 0;
	BEGIN.lastIndex = 0;
	for (let begin = BEGIN.exec(text); begin; begin = BEGIN.exec(text)) {
		const body = begin.index + begin[0].length;
		const end = matchEnd(END, text, text.indexOf("-----", body)) ?? matchEnd(KEY_LINES, text, body);
		if (end === null) continue;
		result += text.slice(done, begin.index) + marker("private-key");
		done = end;
		BEGIN.lastIndex = end;
	}
	return done === 0 ? text : result + text.slice(done);
}

function matchEnd(pattern: RegExp, text: string, at: number): number | null {
	if (at < 0) return null;
	pattern.lastIndex = at;
	return pattern.test(text) ? pattern.lastIndex : null;
}
