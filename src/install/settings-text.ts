import { isObject } from "../core/transcript/decode.ts";
import { type Catalog, catalog, GRANTED, grantRules } from "./catalog.ts";
import { asList, callIn, type Entry, entriesIn, isGrantOf, settingsIn } from "./entries.ts";
import { editJson, mapContainer } from "./json-text.ts";

type Settings = Record<string, unknown>;

/**
 * The settings with all entries of the catalog: each appended behind what is there, an outdated one of ours (other
 * launcher, other text) replaced in its place, every other byte kept. The same text when nothing is to do. An existing
 * status line is wrapped, and so is `inherited`, that of another file, which ours would hide. `allow`: the launcher that permissions (`GRANTED`)
 * name, if they are wanted. Throws `SETTINGS_INVALID` (with `path` in it) when the text can't be edited safely.
 */
export function addEntries(
	text: string,
	entries: Catalog,
	{
		path = "settings.json",
		inherited,
		allow,
	}: { path?: string; inherited?: Settings | undefined; allow?: string | undefined } = {},
): string {
	return editJson(text, path, (settings) => ({
		...settings,
		permissions: allow ? withRules(settings.permissions, allow) : settings.permissions,
		hooks: withHooks(settings, entries),
		statusLine: withStatusLine(settings.statusLine, entries, inherited),
	}));
}

/**
 * The settings without any entry of ccg, of this installation or another; containers that held nothing else go with
 * them, a wrapped status line gets its own command back, unless that is `inherited`, another file's. Everything else keeps
 * its bytes. Throws `SETTINGS_INVALID`.
 */
export const removeEntries = (text: string, path = "settings.json", inherited?: Settings): string =>
	editJson(text, path, (settings) => ({
		...settings,
		permissions: withoutRules(settings.permissions),
		hooks: changedHooks(settings, () => undefined),
		statusLine: withoutStatusLine(settings.statusLine, inherited?.command),
	}));

/** The text of `settings.example.json`. */
export const settingsExample = (launcher: string): string => addEntries("", catalog(launcher));

/** A file's status line with the command that is not ccg's; `undefined` when there is none. */
export function originalStatusLine(text: string) {
	const { statusLine: line } = settingsIn(text) ?? {};
	const command = isObject(line) ? originalCommand(line.command) : undefined;
	return command === undefined ? undefined : { ...(line as Settings), command };
}

/** For showing: the same text with every value of the `env` block hidden, because keys and tokens live there. */
export const hideEnvironment = (text: string): string =>
	editJson(text, "", (settings) => ({ ...settings, env: mapContainer(settings.env, () => "…") }));

/** The hooks of the catalog: one of its event and part that is there is renewed, others of ccg's go. */
function withHooks(settings: Settings, { hooks }: Catalog): unknown {
	const absent = [...hooks];
	const changed = changedHooks(settings, ({ event, part, command, value }) => {
		const at = absent.findIndex((one) => one.event === event && one.part === part);
		const [found] = at < 0 ? [] : absent.splice(at, 1);
		// what the user tuned stays
		return command === found?.handler.command && !value.args ? value : found?.handler;
	});
	if (absent.length === 0) return changed;
	const all: Settings = { ...(isObject(changed) && changed) };
	for (const { event, handler } of absent) all[event] = [...asList(all[event]), { hooks: [handler] }];
	return all;
}

/**
 * The hooks with those that are ccg's alone as `change` has them, in their order. A hook group goes with its last handler, whatever else
 * it says: without handlers it means nothing.
 */
function changedHooks(settings: Settings, change: (entry: Entry) => object | undefined): unknown {
	const own = new Map<unknown, Entry>(entriesIn(settings).map((entry) => [entry.value, entry]));
	const changed = (handler: unknown): unknown => (own.has(handler) ? change(own.get(handler)!) : handler);
	return mapContainer(settings.hooks, (groups) =>
		mapContainer(groups, (group) => {
			if (!isObject(group) || !Array.isArray(group.hooks)) return group;
			const hooks = mapContainer(group.hooks, changed);
			return hooks && { ...group, hooks };
		}),
	);
}

function withStatusLine(line: unknown, entries: Catalog, inherited: Settings | undefined): unknown {
	const own = isObject(line) ? line : (inherited ?? { type: "command", command: undefined, padding: 0 });
	return { ...own, command: entries.statusLine(originalCommand(own.command) ?? originalCommand(inherited?.command)) };
}

function withoutStatusLine(line: unknown, inherited: unknown): unknown {
	if (!isObject(line) || !isOwnLine(line.command)) return line;
	const original = originalCommand(line.command);
	return original === undefined || original === inherited ? undefined : { ...line, command: original };
}

const isOwnLine = (command: unknown): boolean => typeof command === "string" && callIn(command)?.part === "statusline";

/** The command below our own wrapping, however often it was wrapped. */
function originalCommand(command: unknown): string | undefined {
	let found = typeof command === "string" ? command : undefined;
	while (found !== undefined && isOwnLine(found)) found = callIn(found)?.wrapped;
	return found;
}

function withRules(permissions: unknown, launcher: string): Settings {
	const { allow, ...rest } = isObject(permissions) ? permissions : {};
	return { ...rest, allow: [...asList(allow).filter((rule) => !isGrantOf(rule, GRANTED)), ...grantRules(launcher)] };
}

function withoutRules(permissions: unknown): unknown {
	if (!isObject(permissions) || !Array.isArray(permissions.allow)) return permissions;
	const allow = mapContainer(permissions.allow, (rule) => (isGrantOf(rule, GRANTED) ? undefined : rule));
	return mapContainer(permissions, (value) => (value === permissions.allow ? allow : value));
}
