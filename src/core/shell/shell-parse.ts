import type { ParsedScript } from "unbash";

/** Longer texts, and those with more signs or more depth, are not parsed: the parser works long on some of them. */
const MAX_CHARS = 32_768;
const MAX_SIGNS = 2_048;
const MAX_DEPTH = 24;
const MAX_HERE_DOCUMENTS = 16;

/** The syntax tree of a shell text, or `null` where there is none to be trusted. Never throws, and takes bounded time. */
export function parseShell(text: string): ParsedScript | null {
	if (!isModest(text)) return null;
	try {
		// only at a stop: most calls of the hook that comes by here never need it
		const { parse } = require("unbash") as typeof import("unbash");
		const script = parse(text);
		return script.errors?.length ? null : script;
	} catch {
		return null;
	}
}

function isModest(text: string): boolean {
	if (text.length > MAX_CHARS) return false;
	let signs = 0;
	let depth = 0;
	let documents = 0;
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);
		// shells differ on them, and no one types them
		if ((code < 32 && code !== 9 && code !== 10) || code === 127) return false;
		const weight = SIGNS[code] ?? 0;
		if (weight === 0) continue;
		if (++signs > MAX_SIGNS) return false;
		if (weight === OPEN && ++depth > MAX_DEPTH) return false;
		if (weight === CLOSE && depth > 0) depth--;
		if (code === 60 && text.charCodeAt(i + 1) === 60 && ++documents > MAX_HERE_DOCUMENTS) return false;
	}
	return true;
}

const OPEN = 2;
const CLOSE = 3;
const SIGNS = new Uint8Array(128);
for (const sign of "|&;<>$`'\"\n!#*?[]=~\\") SIGNS[sign.charCodeAt(0)] = 1;
for (const sign of "({") SIGNS[sign.charCodeAt(0)] = OPEN;
for (const sign of ")}") SIGNS[sign.charCodeAt(0)] = CLOSE;
