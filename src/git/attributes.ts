import { namesOf, type PathPattern, parsePattern, patternMatches } from "./path-rules.ts";

const MAX_RULES = 2_000;

/** What attributes say of how a file's bytes differ from those git keeps. */
export interface Conversion {
	/** Line ends are kept as LF: `true` where an attribute asks for it, `undefined` where none says anything. */
	text?: boolean | undefined;
	/** A program, a template or another encoding makes what git keeps: it can't be compared without running it. */
	other?: boolean | undefined;
}

interface AttributeRule extends Conversion {
	pattern: PathPattern;
}

/** Reads a `.gitattributes` of the working tree's folder. Macros but `binary` are passed over. */
export function parseAttributes(text: string): readonly AttributeRule[] {
	const rules: AttributeRule[] = [];
	for (const line of text.split("\n")) {
		const [name = "", ...attributes] = line.trim().split(/[ \t]+/, 20);
		if (name === "" || name.startsWith("#") || name.startsWith("[attr]") || name.length > 1_000) continue;
		const pattern = parsePattern(name);
		const said = conversionOf(attributes);
		if (pattern && (said.text !== undefined || said.other !== undefined)) rules.push({ pattern, ...said });
		if (rules.length === MAX_RULES) break;
	}
	return rules;
}

function conversionOf(attributes: readonly string[]): Conversion {
	const found: Conversion = {};
	for (const attribute of attributes) {
		if (/^(?:text|text=auto|crlf|crlf=input|eol=(?:lf|crlf))$/.test(attribute)) found.text = true;
		else if (/^(?:-text|-crlf|binary)$/.test(attribute)) found.text = false;
		else if (/^(?:filter=.+|ident|working-tree-encoding=.+)$/.test(attribute)) found.other = true;
		else if (/^[-!](?:filter|ident|working-tree-encoding)$/.test(attribute)) found.other = false;
	}
	return found;
}

/** What counts for a path: of each attribute the last line that says it, files given in rising precedence. */
export function conversionFor(path: string, files: readonly (readonly AttributeRule[])[]): Conversion {
	const names = namesOf(path);
	const found: Conversion = {};
	for (const rules of files)
		for (const { pattern, text, other } of rules) {
			if (!patternMatches(pattern, names, 0, false)) continue;
			if (text !== undefined) found.text = text;
			if (other !== undefined) found.other = other;
		}
	return found;
}
