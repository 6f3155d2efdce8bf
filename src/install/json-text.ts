/**
 * Edits of JSON text that leave every other byte alone: an edit gives the value that is wanted, and the text is changed where the
 * two differ. jsonc-parser gives the tree, applies the edits and lays out what they bring. Its own `modify` formats the whole
 * line it touches, foreign bytes included, and without a layout it breaks `[1,2]` when the last item goes (3.3.1).
 */
import {
	applyEdits,
	type Edit,
	type FormattingOptions,
	format,
	type Node,
	type ParseError,
	parseTree,
	printParseErrorCode,
} from "jsonc-parser";
import { isObject } from "../core/transcript/decode.ts";
import { codedError } from "../files/system-failure.ts";

type Json = Record<string, unknown>;

const BYTE_ORDER_MARK = "\uFEFF";
/** What a blank file counts as. */
export const EMPTY = "{}\n";

/**
 * The text with the value that `edit` gives in place of the one it holds. In that value `undefined` takes a key or an item out, and what
 * stays of a list keeps its place. Throws `SETTINGS_INVALID`, naming `path`, line and column, for what is not strict JSON with
 * an object at the top, and where a list or an object would take the place of anything else that could be lost.
 */
export function editJson(text: string, path: string, edit: (value: Json) => Json): string {
	if (text.trim() === "") {
		const created = editJson(EMPTY, path, edit);
		return created === EMPTY ? text : created;
	}
	const byteOrderMark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
	const body = text.slice(byteOrderMark.length);
	const root = parseStrictJson(body, path);
	const value: Json = JSON.parse(body);
	const layout = detectLayout(body, root);
	const refuse = ({ offset }: Node, why: string): never => {
		throw invalidSettingsError(body, offset, path, why);
	};
	// the last edit first: then the offsets of the others stay right
	const edits = editsBetween(root, value, edit(value), refuse).sort((a, b) => b.offset - a.offset);
	return byteOrderMark + edits.reduce((changed, next) => applyWithLayout(changed, next, layout), body);
}

/** Applies an edit, and formats only the text that it inserts. */
function applyWithLayout(text: string, edit: Edit, layout: FormattingOptions | null): string {
	const changed = applyEdits(text, [edit]);
	const { offset, content } = edit;
	return layout ? applyEdits(changed, format(changed, { offset, length: content.length }, layout)) : changed;
}

/** Gives a list or an object with `change` applied to each value; `undefined` where every value became `undefined`. */
export function mapOrDrop(container: unknown, change: (value: unknown) => unknown): unknown {
	if (typeof container !== "object" || container === null) return container;
	const pairs = Object.entries(container).map(([key, value]) => [key, change(value)] as const);
	if (pairs.length > 0 && pairs.every(([, value]) => value === undefined)) return undefined;
	return Array.isArray(container) ? pairs.map(([, value]) => value) : Object.fromEntries(pairs);
}

/** The tree of strict JSON with an object at the top; `text` comes without a byte order mark. Throws `SETTINGS_INVALID`. */
export function parseStrictJson(text: string, path: string): Node {
	const errors: ParseError[] = [];
	const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
	const [first] = errors;
	if (first) {
		const code = printParseErrorCode(first.error);
		const why = `strict JSON, without comments and trailing commas, is broken here (${code})`;
		throw invalidSettingsError(text, first.offset, path, why);
	}
	if (root?.type !== "object") throw invalidSettingsError(text, root?.offset ?? 0, path, "it holds no object");
	return root;
}

/** The indentation of a JSON text, by its first key; `null` for a text in one line, which is not formatted. */
function detectLayout(text: string, root: Node): FormattingOptions | null {
	const indent = /^\s*\{\s*[\r\n]([ \t]*)/.exec(text)?.[1];
	if (indent === undefined && root.children!.length > 0) return null;
	return { insertSpaces: !indent?.startsWith("\t"), tabSize: indent?.length || 2 };
}

/** The unformatted edits that turn the JSON text of `node` from one value into another; `undefined` in `to` removes a key or item. None overlap. */
function editsBetween(node: Node, from: unknown, to: unknown, refuse: (node: Node, why: string) => never): Edit[] {
	if (Bun.deepEquals(from, to, true)) return [];
	const isList = Array.isArray(from) && Array.isArray(to);
	if (!isList && !(isObject(from) && isObject(to))) {
		// null, a number and what is empty hold nothing that could be lost
		const isBare = node.type !== "string" && !node.children?.length;
		if (typeof to === "object" && !isBare) refuse(node, `${Array.isArray(to) ? "a list" : "an object"} belongs here`);
		return [replaceNode(node, to)];
	}
	const [before, after] = [from, to] as [Json, Json];
	const items = node.children!;
	// of doubled keys the last one counts, as JSON.parse has it
	const children = new Map(items.map((item, n) => [isList ? String(n) : String(item.children![0]!.value), item]));
	const removed = [...children].flatMap(([key, child]) => (after[key] === undefined ? [child] : []));
	const firstKept = items.findIndex((item) => !removed.includes(item));
	if (firstKept < 0) return [replaceNode(node, isList ? to.filter((item) => item !== undefined) : to)];
	const innerEdits = [...children].flatMap(([key, child]) =>
		removed.includes(child) ? [] : editsBetween(isList ? child : child.children![1]!, before[key], after[key], refuse),
	);
	const removals = removed.map((child): Edit => {
		// together with one comma
		const at = items.indexOf(child);
		const [start, stop] =
			at > firstKept ? [endOffset(items[at - 1]!), endOffset(child)] : [child.offset, items[at + 1]!.offset];
		return { offset: start, length: stop - start, content: "" };
	});
	const added = Object.entries(after)
		.filter(([key, value]) => !children.has(key) && value !== undefined)
		.map(([key, value]) => `,${isList ? "" : `${JSON.stringify(key)}:`}${JSON.stringify(value)}`);
	return [...innerEdits, ...removals, { offset: endOffset(items.at(-1)!), length: 0, content: added.join("") }];
}

const endOffset = ({ offset, length }: Node): number => offset + length;

/** The edit that puts a value in place of a node. */
const replaceNode = ({ offset, length }: Node, value: unknown) => ({ offset, length, content: JSON.stringify(value) });

/** The error for a settings file that can't be read, with line and column of the place. */
function invalidSettingsError(text: string, offset: number, path: string, why: string): Error {
	const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
	const where = `${path}, line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
	return codedError(
		"SETTINGS_INVALID",
		`${where}: not a settings file Claude Code can read: ${why}. Nothing was changed; mend that place and run the command again.`,
	);
}
