import { type Allowed, type Catalog, recogniseMemoryRule, recogniseRecallRule, statusLineValue } from "./catalog.ts";
import {
	appendItem,
	appendProperty,
	items,
	type Node,
	parseObject,
	properties,
	property,
	removeValue,
	replaceValue,
	wrongType,
} from "./json-text.ts";
import { type Recognised, recognise } from "./recognise.ts";

/** What an absent settings file counts as. */
export const EMPTY_SETTINGS = "{}\n";

/** An entry of ccg found in a settings file; `event` is `null` for the status line. */
export interface FoundEntry extends Recognised {
	event: string | null;
	command: string;
}

/**
 * The settings with all entries of the catalog: each appended behind what is there, an outdated one of ours (other
 * launcher, other text) replaced in its place, every other byte kept. The same text when nothing is to do. An existing
 * status line is wrapped, and so is `inherited`, the one of another file that ours would hide, in the place of `copied`, which
 * an earlier install took over from there. Throws `SETTINGS_INVALID` (with `path` in it) when the text can't be edited safely.
 */
export function addEntries(
	text: string,
	catalog: Catalog,
	{
		allowMemory = false,
		allowRecall = false,
		path = "settings.json",
		inherited,
		copied,
	}: {
		path?: string;
		inherited?: StatusLineValue | undefined;
		copied?: string | undefined;
	} & Allowed = {},
): string {
	return withoutMark(text, (body) => {
		const add = { path, catalog, inherited, copied };
		let next = removeHandlers(body, path, isStray(catalog));
		if (allowMemory) next = addRule(next, add, catalog.memoryRule, recogniseMemoryRule);
		if (allowRecall) next = addRule(next, add, catalog.recallRule, recogniseRecallRule);
		for (const entry of catalog.hooks) next = addHandler(next, add, entry);
		return addStatusLine(next, add);
	});
}

/**
 * The settings without any entry of ccg, of this installation or another; containers that held nothing else go with
 * them, a wrapped status line gets its own command back, unless that is `inherited`, another file's. Everything else keeps
 * its bytes. Throws `SETTINGS_INVALID`.
 */
export function removeEntries(
	text: string,
	{ path = "settings.json", inherited }: { path?: string; inherited?: string | undefined } = {},
): string {
	return withoutMark(text, (body) =>
		removeRules(
			removeStatusLine(
				removeHandlers(body, path, () => true),
				path,
				inherited,
			),
			path,
		),
	);
}

/** All entries of ccg in the text, of any installation. Empty for a text that is no settings file. */
export function findEntries(text: string): FoundEntry[] {
	let root: Node;
	try {
		root = parseObject(stripMark(text), "");
	} catch {
		return [];
	}
	const found: FoundEntry[] = ownHandlers(root).map(({ event, own, command }) => ({ event, command, ...own }));
	const command = property(property(root, "statusLine"), "command")?.value;
	const own = typeof command === "string" ? recognise(command) : null;
	if (own) found.push({ event: null, command, ...own });
	return found;
}

/** The launcher of the memory permission in the text, or `null`. Throws `SETTINGS_INVALID`. */
export function findMemoryRule(text: string): string | null {
	const rules = ownRules(parseObject(stripMark(text), "settings.json")).map(({ value }) => recogniseMemoryRule(value));
	return rules.find((launcher) => launcher !== null) ?? null;
}

/** The status line command that `addEntries` would wrap or already has wrapped; `undefined` when there is none. */
export function wrappedStatusLine(text: string): string | undefined {
	return originalCommand(property(property(parseObject(stripMark(text), "settings.json"), "statusLine"), "command"));
}

/** A file's status line with the command that is not ccg's; `undefined` when there is none. */
export function originalStatusLine(text: string): StatusLineValue | undefined {
	try {
		const line = property(parseObject(stripMark(text), ""), "statusLine");
		const command = originalCommand(property(line, "command"));
		if (command === undefined) return undefined;
		const value: StatusLineValue = { type: "command", command };
		for (const key of ["padding", "refreshInterval"] as const) {
			const number: unknown = property(line, key)?.value;
			if (typeof number === "number") value[key] = number;
		}
		return value;
	} catch {
		return undefined;
	}
}

/** For showing: the same text with every value of the `env` block hidden, because keys and tokens live there. */
export function hideEnvironment(text: string): string {
	return withoutMark(text, (body) => {
		const count = properties(property(parseObject(body, ""), "env")).length;
		let next = body;
		for (let at = 0; at < count; at++) {
			next = replaceValue(next, properties(property(parseObject(next, ""), "env"))[at]!.value, "…");
		}
		return next;
	});
}

const MARK = "\uFEFF";
export const stripMark = (text: string): string => (text.startsWith(MARK) ? text.slice(1) : text);

/** Edits a text behind its byte order mark. */
export function withoutMark(text: string, edit: (body: string) => string): string {
	return text.startsWith(MARK) ? MARK + edit(text.slice(1)) : edit(text);
}

interface OwnHandler {
	event: string;
	own: Recognised;
	command: string;
	/** No shell takes the command apart. */
	args: readonly string[] | undefined;
	node: Node;
	group: Node;
	list: Node;
}

function ownHandlers(root: Node): OwnHandler[] {
	return properties(property(root, "hooks")).flatMap(({ key: event, value: list }) =>
		items(list).flatMap((group) =>
			items(property(group, "hooks")).flatMap((node) => {
				const command = property(node, "command")?.value;
				const words = property(node, "args");
				const args = words && items(words).map(({ value }) => String(value));
				const own = typeof command === "string" ? recognise(command, args) : null;
				return own ? [{ event, own, command: command as string, args, node, group, list }] : [];
			}),
		),
	);
}

/** An entry of ours on an event the catalog has no such entry for, or a second copy on its event. */
function isStray({ hooks }: Catalog): (handler: OwnHandler, all: OwnHandler[]) => boolean {
	return (handler, all) => {
		const same = (other: { event: string; part: string }) =>
			other.event === handler.event && other.part === handler.own.part;
		if (!hooks.some(same)) return true;
		return all.find(({ event, own }) => same({ event, part: own.part }))?.node !== handler.node;
	};
}

function removeHandlers(text: string, path: string, gone: (handler: OwnHandler, all: OwnHandler[]) => boolean): string {
	let next = text;
	for (;;) {
		const all = ownHandlers(parseObject(next, path));
		const handler = all.find((candidate) => gone(candidate, all));
		if (!handler) return next;
		next = removeValue(next, widest(handler.node));
	}
}

/**
 * The value, or the outermost container below the top that holds nothing but it. A hook group goes with its last
 * handler, whatever else it says: without handlers it means nothing.
 */
function widest(node: Node): Node {
	let value = node;
	for (;;) {
		const slot = value.parent?.type === "property" ? value.parent : value;
		const container = slot.parent;
		if (!container?.parent) return value;
		const isGroup = container.type === "object" && container.parent.type === "array";
		if (container.children!.length > 1 && !isGroup) return value;
		value = container;
	}
}

/** `statusLine` of a settings file. */
export interface StatusLineValue {
	type: "command";
	command: string;
	padding?: number;
	/** Seconds. */
	refreshInterval?: number;
}

interface Add {
	path: string;
	catalog: Catalog;
	inherited: StatusLineValue | undefined;
	copied: string | undefined;
}

function addHandler(text: string, { path }: Add, { event, part, handler }: Catalog["hooks"][number]): string {
	const root = parseObject(text, path);
	const present = ownHandlers(root).find((own) => own.event === event && own.own.part === part);
	if (present)
		return present.command === handler.command && !present.args ? text : replaceValue(text, present.node, handler);
	const group = { hooks: [handler] };
	const hooks = property(root, "hooks");
	if (!hooks) return appendProperty(text, root, "hooks", { [event]: [group] });
	if (hooks.type !== "object") throw wrongType(text, hooks, path, "hooks", "an object");
	const list = property(hooks, event);
	if (!list) return appendProperty(text, hooks, event, [group]);
	if (list.type !== "array") throw wrongType(text, list, path, `hooks.${event}`, "an array");
	return appendItem(text, list, group);
}

function addStatusLine(text: string, { path, catalog, inherited, copied }: Add): string {
	const root = parseObject(text, path);
	const line = property(root, "statusLine");
	if (!line) {
		const value = inherited && { ...inherited, command: catalog.statusLine(inherited.command) };
		return appendProperty(text, root, "statusLine", value ?? statusLineValue(catalog));
	}
	if (line.type !== "object") throw wrongType(text, line, path, "statusLine", "an object");
	const command = property(line, "command");
	if (command?.type !== "string") throw wrongType(text, command ?? line, path, "statusLine.command", "a string");
	const original = originalCommand(command);
	const isCopied = original === copied && recognise(command.value)?.part === "statusline";
	const wanted = catalog.statusLine((isCopied ? undefined : original) ?? inherited?.command);
	return command.value === wanted ? text : replaceValue(text, command, wanted);
}

function removeStatusLine(text: string, path: string, inherited: string | undefined): string {
	const line = property(parseObject(text, path), "statusLine");
	const command = property(line, "command");
	if (!line || typeof command?.value !== "string" || recognise(command.value)?.part !== "statusline") return text;
	const original = originalCommand(command);
	const isOwn = original === undefined || original === inherited;
	return isOwn ? removeValue(text, line) : replaceValue(text, command, original);
}

/** The command below our own wrapping, however often it was wrapped. */
function originalCommand(node: Node | undefined): string | undefined {
	let command = typeof node?.value === "string" ? node.value : undefined;
	while (command !== undefined) {
		const own = recognise(command);
		if (own?.part !== "statusline") return command;
		command = own.wrapped;
	}
	return undefined;
}

function addRule(text: string, { path }: Add, rule: string, recognised: (rule: string) => string | null): string {
	const root = parseObject(text, path);
	const permissions = property(root, "permissions");
	if (!permissions) return appendProperty(text, root, "permissions", { allow: [rule] });
	if (permissions.type !== "object") throw wrongType(text, permissions, path, "permissions", "an object");
	const allow = property(permissions, "allow");
	if (!allow) return appendProperty(text, permissions, "allow", [rule]);
	if (allow.type !== "array") throw wrongType(text, allow, path, "permissions.allow", "an array");
	const own = ownRules(root).filter(({ value }) => recognised(value) !== null);
	if (own.some(({ value }) => value === rule)) return text;
	return own[0] ? replaceValue(text, own[0], rule) : appendItem(text, allow, rule);
}

function removeRules(text: string, path: string): string {
	let next = text;
	for (;;) {
		const [rule] = ownRules(parseObject(next, path));
		if (!rule) return next;
		next = removeValue(next, widest(rule));
	}
}

function ownRules(root: Node): Node[] {
	return items(property(property(root, "permissions"), "allow")).filter(
		({ value }) => typeof value === "string" && (recogniseMemoryRule(value) ?? recogniseRecallRule(value)) !== null,
	);
}
