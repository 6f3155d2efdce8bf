/**
 * Edits of JSON text that leave every other byte alone. jsonc-parser gives the tree and applies the edits; its own
 * `modify` is not used because it formats the whole line it touches, foreign bytes included.
 */
import { applyEdits, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { settingsError } from "./settings-error.ts";

export type { Node };

/**
 * The tree of strict JSON with an object at the top. Throws `SETTINGS_INVALID`, naming `path`, line and column, on
 * anything else: comments, trailing commas, nothing at all. `text` comes without a byte order mark.
 */
export function parseObject(text: string, path: string): Node {
	const errors: ParseError[] = [];
	const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
	const [first] = errors;
	if (text.trim() === "") throw invalid(text, 0, path, "the file is empty");
	if (first) throw invalid(text, first.offset, path, reason(first));
	try {
		JSON.parse(text);
	} catch (error) {
		throw invalid(text, 0, path, error instanceof Error ? error.message : String(error));
	}
	if (root?.type !== "object") throw invalid(text, root?.offset ?? 0, path, `it holds ${article(root)}, not an object`);
	return root;
}

/** `SETTINGS_INVALID` for a value of another type than Claude Code documents. */
export function wrongType(text: string, node: Node, path: string, name: string, wanted: string): Error {
	return invalid(text, node.offset, path, `"${name}" is ${article(node)}, not ${wanted}`);
}

/** The value of a property; of doubled keys the last one, as JSON.parse reads it. */
export function property(object: Node | undefined, key: string): Node | undefined {
	return object?.type === "object" ? properties(object).findLast((pair) => pair.key === key)?.value : undefined;
}

export function properties(object: Node | undefined): { key: string; value: Node }[] {
	if (object?.type !== "object") return [];
	return (object.children ?? []).flatMap(({ children }) =>
		children?.[1] ? [{ key: String(children[0]?.value), value: children[1] }] : [],
	);
}

export const items = (array: Node | undefined): Node[] => (array?.type === "array" ? (array.children ?? []) : []);

/** Appends a property to an object. */
export function appendProperty(text: string, object: Node, key: string, value: unknown): string {
	return append(text, object, (layout) => `${JSON.stringify(key)}:${layout.colon}${render(value, layout)}`);
}

/** Appends an item to an array. */
export function appendItem(text: string, array: Node, value: unknown): string {
	return append(text, array, (layout) => render(value, layout));
}

/** Puts another value in a value's place. */
export function replaceValue(text: string, node: Node, value: unknown): string {
	const indent = spansLines(text, node) ? indentAt(text, node.offset) : null;
	const content = render(value, { ...fileLayout(text), indent });
	return applyEdits(text, [{ offset: node.offset, length: node.length, content }]);
}

/** Takes a value out, with its key and its comma. A container that held nothing else is left empty: `{}` or `[]`. */
export function removeValue(text: string, node: Node): string {
	const child = node.parent?.type === "property" ? node.parent : node;
	const parent = child.parent!;
	const siblings = parent.children!;
	const at = siblings.indexOf(child);
	const before = siblings[at - 1];
	const after = siblings[at + 1];
	let [from, to] = [parent.offset + 1, end(parent) - 1];
	if (before) [from, to] = [end(before), end(child)];
	else if (after) [from, to] = [child.offset, after.offset];
	return applyEdits(text, [{ offset: from, length: to - from, content: "" }]);
}

interface Layout {
	eol: string;
	/** One step of indentation. */
	unit: string;
	/** What stands after a colon. */
	colon: string;
	/** The indentation of the line a value starts on; `null` for everything in one line. */
	indent: string | null;
}

const end = (node: Node): number => node.offset + node.length;
const hasBreak = (text: string): boolean => /[\r\n]/.test(text);
const spansLines = (text: string, node: Node): boolean => hasBreak(text.slice(node.offset, end(node)));

/** After the last child and laid out like it; into an empty container on lines of its own, unless the file is one line. */
function append(text: string, container: Node, content: (layout: Layout) => string): string {
	const file = fileLayout(text);
	const children = container.children ?? [];
	const last = children.at(-1);
	if (!last) {
		const indent = file.indent === null ? null : indentAt(text, container.offset);
		const inner = indent === null ? null : indent + file.unit;
		const body = content({ ...file, indent: inner });
		const filled = inner === null ? body : `${file.eol}${inner}${body}${file.eol}${indent}`;
		return applyEdits(text, [{ offset: container.offset + 1, length: container.length - 2, content: filled }]);
	}
	const previous = children.at(-2);
	const gap = text.slice(previous ? end(previous) : container.offset + 1, last.offset).replace(/^\s*,/, "");
	const ownLine = hasBreak(gap);
	const indent = ownLine || spansLines(text, last) ? indentAt(text, last.offset) : null;
	let separator = previous ? gap : file.colon;
	if (ownLine) separator = `${file.eol}${indent}`;
	return applyEdits(text, [{ offset: end(last), length: 0, content: `,${separator}${content({ ...file, indent })}` }]);
}

function fileLayout(text: string): Layout {
	const first = parseTree(text)?.children?.[0];
	const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
	if (!first) return { eol, unit: "  ", colon: " ", indent: "" };
	const ownLine = hasBreak(text.slice(0, first.offset).replace(/^\s*/, ""));
	const colon = /^[ \t]*/.exec(text.slice((first.colonOffset ?? 0) + 1))![0];
	return { eol, unit: ownLine ? indentAt(text, first.offset) : "  ", colon, indent: ownLine ? "" : null };
}

/** The white space a line starts with. */
function indentAt(text: string, offset: number): string {
	const start = Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1;
	return /^[ \t]*/.exec(text.slice(start, offset))![0];
}

function render(value: unknown, { eol, unit, colon, indent }: Layout): string {
	if (indent === null || unit === "") return inline(value, colon);
	return JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);
}

function inline(value: unknown, gap: string): string {
	if (Array.isArray(value)) return `[${value.map((item) => inline(item, gap)).join(`,${gap}`)}]`;
	if (value === null || typeof value !== "object") return JSON.stringify(value);
	const pairs = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${gap}${inline(item, gap)}`);
	return `{${pairs.join(`,${gap}`)}}`;
}

function invalid(text: string, offset: number, path: string, why: string): Error {
	const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
	const where = `${path}, line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
	return settingsError(
		"SETTINGS_INVALID",
		`${where}: not a settings file Claude Code can read: ${why}. Nothing was changed; mend that place and run the command again.`,
	);
}

function reason(error: ParseError): string {
	switch (printParseErrorCode(error.error)) {
		case "InvalidCommentToken":
			return "comments are not allowed (strict JSON)";
		case "PropertyNameExpected":
		case "ValueExpected":
			return "something is missing before this place (a trailing comma, or the file ends too early)";
		case "EndOfFileExpected":
			return "there is more text after the end of the object";
		default:
			return `strict JSON is broken here (${printParseErrorCode(error.error)})`;
	}
}

function article(node: Node | undefined): string {
	if (!node || node.type === "null") return "null";
	return node.type === "array" || node.type === "object" ? `an ${node.type}` : `a ${node.type}`;
}
