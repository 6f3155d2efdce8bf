/**
 * Edits of JSON text that leave every other byte alone: an edit gives the value that is wanted, and the text is changed where the
 * two differ. jsonc-parser gives the tree, applies the edits and lays out what they bring. Its own `modify` formats the whole
 * line it touches, foreign bytes included, and without a layout it breaks `[1,2]` when the last item goes (3.3.1).
 */
import { isDeepStrictEqual } from "node:util";
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
import { coded } from "../files/system-failure.ts";

type Json = Record<string, unknown>;

const MARK = "\uFEFF";
/** What a blank file counts as. */
export const EMPTY = "{}\n";

/**
 * The text with the value that `edit` gives in place of the one it holds. In that value `undefined` takes a key or an item out, and what
 * stays of a list keeps its place. Throws `SETTINGS_INVALID`, naming `path`, line and column, for what is not strict JSON with
 * an object at the top, and where a list or an object would take the place of anything else that could be lost.
 */
export function editJson(text: string, path: string, edit: (value: Json) => Json): string {
	if (text.trim() === "") {
		const made = editJson(EMPTY, path, edit);
		return made === EMPTY ? text : made;
	}
	const mark = text.startsWith(MARK) ? MARK : "";
	const body = text.slice(mark.length);
	const root = strictTree(body, path);
	const value: Json = JSON.parse(body);
	const layout = layoutOf(body, root);
	// from behind, so that the places of the others stay
	const refuse = ({ offset }: Node, why: string): never => {
		throw invalid(body, offset, path, why);
	};
	const edits = editsBetween(root, value, edit(value), refuse).sort((a, b) => b.offset - a.offset);
	return mark + edits.reduce((changed, one) => applyEdit(changed, one, layout), body);
}

/** Only what the edit brings is laid out. */
function applyEdit(text: string, edit: Edit, layout: FormattingOptions | null): string {
	const changed = applyEdits(text, [edit]);
	const { offset, content } = edit;
	return layout ? applyEdits(changed, format(changed, { offset, length: content.length }, layout)) : changed;
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
	if (root?.type !== "object") throw invalid(text, root?.offset ?? 0, path, "it holds no object");
	return root;
}

/** How a file is laid out, by its first line; `null` for one that is all in one line, which stays so. */
function layoutOf(text: string, root: Node): FormattingOptions | null {
	const indent = /^\s*\{\s*[\r\n]([ \t]*)/.exec(text)?.[1];
	if (indent === undefined && root.children!.length > 0) return null;
	return { insertSpaces: !indent?.startsWith("\t"), tabSize: indent?.length || 2 };
}

/** Gives the edits that turn the JSON of `node` from one value into another, without layout; `undefined` in `to` takes a key or item out. No two overlap. */
function editsBetween(node: Node, from: unknown, to: unknown, refuse: (at: Node, why: string) => never): Edit[] {
	if (isDeepStrictEqual(from, to)) return [];
	const isList = Array.isArray(from) && Array.isArray(to);
	if (!isList && !(isObject(from) && isObject(to))) {
		// null, a number and what is empty hold nothing that could be lost
		const isBare = node.type !== "string" && !node.children?.length;
		if (typeof to === "object" && !isBare) refuse(node, `${Array.isArray(to) ? "a list" : "an object"} belongs here`);
		return [replaceNode(node, to)];
	}
	const [before, after] = [from, to] as [Json, Json];
	const all = node.children!;
	// of doubled keys the last one counts, as JSON.parse has it
	const children = new Map(all.map((one, n) => [isList ? String(n) : String(one.children![0]!.value), one]));
	const gone = [...children].flatMap(([key, child]) => (after[key] === undefined ? [child] : []));
	const firstKept = all.findIndex((one) => !gone.includes(one));
	if (firstKept < 0) return [replaceNode(node, isList ? to.filter((item) => item !== undefined) : to)];
	const inner = [...children].flatMap(([key, child]) =>
		gone.includes(child) ? [] : editsBetween(isList ? child : child.children![1]!, before[key], after[key], refuse),
	);
	const removed = gone.map((child): Edit => {
		const at = all.indexOf(child);
		const [start, stop] = at > firstKept ? [end(all[at - 1]!), end(child)] : [child.offset, all[at + 1]!.offset];
		return { offset: start, length: stop - start, content: "" };
	});
	const added = Object.entries(after)
		.filter(([key, value]) => !children.has(key) && value !== undefined)
		.map(([key, value]) => `,${isList ? "" : `${JSON.stringify(key)}:`}${JSON.stringify(value)}`);
	return [...inner, ...removed, { offset: end(all.at(-1)!), length: 0, content: added.join("") }];
}

const end = ({ offset, length }: Node): number => offset + length;

const replaceNode = ({ offset, length }: Node, value: unknown): Edit => ({
	offset,
	length,
	content: JSON.stringify(value),
});

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
