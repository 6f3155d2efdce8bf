/**
 * Edits of JSON text that leave every other byte alone: an edit gives the value that is wanted, and the text is changed where the
 * two differ. jsonc-parser gives the tree and applies the edits; its own `modify` formats the whole line it touches, foreign
 * bytes included.
 */
import { isDeepStrictEqual } from "node:util";
import {
	applyEdits,
	type Edit,
	findNodeAtLocation,
	type Node,
	type ParseError,
	parseTree,
	printParseErrorCode,
} from "jsonc-parser";
import { isObject } from "../core/transcript/decode.ts";
import { coded } from "../files/system-failure.ts";

type Json = Record<string, unknown>;

/** What stands behind keys, joined by dots, where anything of weight does; a string has to stand there when its object does. */
export type Wanted = Record<string, "object" | "array" | "string">;

const MARK = "\uFEFF";
/** What a blank file counts as. */
export const EMPTY = "{}\n";

/**
 * The text with the value that `edit` gives in place of the one it holds. In that value `undefined` takes a key or an item out, and what
 * stays of a list keeps its place. Throws `SETTINGS_INVALID`, naming `path`, line and column, for what is not strict JSON with
 * an object at the top, or not of the wanted types.
 */
export function editJson(text: string, path: string, edit: (value: Json) => Json, wanted: Wanted = {}): string {
	if (text.trim() === "") {
		const made = editJson(EMPTY, path, edit, wanted);
		return made === EMPTY ? text : made;
	}
	const mark = text.startsWith(MARK) ? MARK : "";
	const body = text.slice(mark.length);
	const root = strictTree(body, path);
	for (const [keys, type] of Object.entries(wanted)) checkType(body, root, path, { keys, type });
	const value: Json = JSON.parse(body);
	return mark + applyEdits(body, editsBetween({ text: body, ...layoutOf(body, root) }, root, value, edit(value)));
}

/** A list or an object with each value as `change` has it; `undefined` where that leaves nothing of what was in it. */
export function mapContainer(container: unknown, change: (value: unknown) => unknown): unknown {
	if (typeof container !== "object" || container === null) return container;
	const pairs = Object.entries(container).map(([key, value]) => [key, change(value)] as const);
	if (pairs.length > 0 && pairs.every(([, value]) => value === undefined)) return undefined;
	return Array.isArray(container) ? pairs.map(([, value]) => value) : Object.fromEntries(pairs);
}

/** The tree of strict JSON with an object at the top; `text` comes without a byte order mark. Throws `SETTINGS_INVALID`. */
export function strictTree(text: string, path: string): Node {
	const errors: ParseError[] = [];
	const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
	const [first] = errors;
	if (first) throw invalid(text, first.offset, path, reason(first));
	if (root?.type !== "object") throw invalid(text, root?.offset ?? 0, path, `it holds ${article(root)}, not an object`);
	return root;
}

interface Layout {
	text: string;
	eol: string;
	/** One step of indentation; `null` for a file in one line. */
	unit: string | null;
}

const end = (node: Node): number => node.offset + node.length;
const hasBreak = (text: string): boolean => text.includes("\n") || text.includes("\r");

function layoutOf(text: string, root: Node): Pick<Layout, "eol" | "unit"> {
	const first = root.children?.[0];
	const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
	if (!first) return { eol, unit: "  " };
	return { eol, unit: hasBreak(text.slice(root.offset, first.offset)) ? indentAt(text, first.offset) : null };
}

/** The edits that make one value of another. */
function editsBetween(layout: Layout, node: Node, from: unknown, to: unknown): Edit[] {
	if (isDeepStrictEqual(from, to)) return [];
	const isList = Array.isArray(from) && Array.isArray(to);
	if (!isList && !(isObject(from) && isObject(to))) {
		const indent = hasBreak(layout.text.slice(node.offset, end(node))) ? indentAt(layout.text, node.offset) : null;
		return [{ offset: node.offset, length: node.length, content: renderJson(to, layout, indent) }];
	}
	const [before, after] = [from, to] as [Json, Json];
	// of doubled keys the last one counts, as JSON.parse has it
	const children = new Map(node.children!.map((one, n) => [isList ? String(n) : String(one.children![0]!.value), one]));
	const inner = [...children].flatMap(([key, child]) =>
		after[key] === undefined ? [] : editsBetween(layout, isList ? child : child.children![1]!, before[key], after[key]),
	);
	const gone = new Set([...children].flatMap(([key, child]) => (after[key] === undefined ? [child] : [])));
	const added = Object.entries(after).filter(([key, value]) => !children.has(key) && value !== undefined);
	const colon = layout.unit === null ? ":" : ": ";
	const render = (indent: string | null): string[] =>
		added.map(([key, value]) => (isList ? "" : JSON.stringify(key) + colon) + renderJson(value, layout, indent));
	return [...inner, ...editChildren(layout, node, gone, added.length > 0 ? render : null)];
}

type Render = (indent: string | null) => string[];

/** Takes children out with their commas, and appends others laid out like the last one; with none left, on lines of their own. */
function editChildren({ text, eol, unit }: Layout, node: Node, gone: ReadonlySet<Node>, render: Render | null): Edit[] {
	const children = node.children!;
	const first = children.findIndex((one) => !gone.has(one));
	if (first < 0) {
		const outer = unit === null || !render ? null : indentAt(text, node.offset);
		const inner = outer === null ? null : outer + unit;
		const body = render?.(inner).join(inner === null ? "," : `,${eol}${inner}`) ?? "";
		const content = inner === null ? body : `${eol}${inner}${body}${eol}${outer}`;
		return gone.size > 0 || render ? [{ offset: node.offset + 1, length: node.length - 2, content }] : [];
	}
	const edits = [...gone].map((child): Edit => {
		const at = children.indexOf(child);
		const [from, to] = at > first ? [end(children[at - 1]!), end(child)] : [child.offset, children[at + 1]!.offset];
		return { offset: from, length: to - from, content: "" };
	});
	if (!render) return edits;
	const last = children.at(-1)!;
	const ownLine = hasBreak(text.slice(children.at(-2) ? end(children.at(-2)!) : node.offset, last.offset));
	const indent = ownLine || hasBreak(text.slice(last.offset, end(last))) ? indentAt(text, last.offset) : null;
	const separator = ownLine ? `,${eol}${indent}` : ",";
	return [...edits, { offset: end(last), length: 0, content: separator + render(indent).join(separator) }];
}

/** The white space a line starts with. */
function indentAt(text: string, offset: number): string {
	const start = Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1;
	return /^[ \t]*/.exec(text.slice(start, offset))![0];
}

/** `indent`: of the line it starts on; `null` for everything in one line. */
const renderJson = (value: unknown, { eol, unit }: Layout, indent: string | null): string =>
	indent === null || !unit ? JSON.stringify(value) : JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);

function checkType(text: string, root: Node, path: string, { keys, type }: { keys: string; type: string }): void {
	const names = keys.split(".");
	const parent = names.length > 1 ? findNodeAtLocation(root, names.slice(0, -1)) : root;
	const node = findNodeAtLocation(root, names);
	const isMissing = type === "string" && parent?.type === "object" && !node;
	// null, a number and what is empty hold nothing that could be lost
	const isBare = type !== "string" && node?.type !== "string" && !node?.children?.length;
	if (!isMissing && (!node || node.type === type || isBare)) return;
	const is = node ? article(node) : "missing";
	throw invalid(
		text,
		(node ?? parent!).offset,
		path,
		`"${keys}" is ${is}, not ${type === "string" ? "a" : "an"} ${type}`,
	);
}

function invalid(text: string, offset: number, path: string, why: string): Error {
	const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
	const where = `${path}, line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
	return coded(
		"SETTINGS_INVALID",
		`${where}: not a settings file Claude Code can read: ${why}. Nothing was changed; mend that place and run the command again.`,
	);
}

/** The kind of the mistake. */
const reason = ({ error }: ParseError): string =>
	`strict JSON, without comments and trailing commas, is broken here (${printParseErrorCode(error)})`;

function article(node: Node | undefined): string {
	if (!node || node.type === "null") return "null";
	return node.type === "array" || node.type === "object" ? `an ${node.type}` : `a ${node.type}`;
}
