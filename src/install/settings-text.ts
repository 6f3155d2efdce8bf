import { isObject } from "../core/transcript/decode.ts";
import { type Catalog, catalog, GRANTED, grantRules } from "./catalog.ts";
import { asList, callIn, type Entry, entriesIn, isGrantOf, settingsIn } from "./entries.ts";
import { editJson, mapContainer } from "./json-text.ts";

type Settings = Record<string, unknown>;
export type StatusLineValue = NonNullable<ReturnType<typeof originalStatusLine>>;

interface Options {
	/** Also the permissions (`GRANTED`). */
	allow?: boolean | undefined;
	/** Of the file, for messages. */
	path?: string;
	/** The status line of another file, which ours would hide. */
	inherited?: StatusLineValue | undefined;
}

/**
 * The settings with all entries of the catalog: each appended behind what is there, an outdated one of ours (other
 * launcher, other text) replaced in its place, every other byte kept. The same text when nothing is to do. An existing
 * status line is wrapped, and so is `inherited`. Throws `SETTINGS_INVALID` (with `path` in it) when the text can't be edited safely.
 */
export function addEntries(
	text: string,
	entries: Catalog,
	{ path = "settings.json", inherited, allow = false }: Options = {},
): string {
	const add = (settings: Settings): Settings => ({
		...settings,
		permissions: allow ? withRules(settings.permissions, entries.told) : settings.permissions,
		hooks: withHooks(settings, entries),
		statusLine: withStatusLine(settings.statusLine, entries, inherited),
	});
	return editJson(text, path, add);
}

/**
 * The settings without any entry of ccg, of this installation or another; containers that held nothing else go with
 * them, a wrapped status line gets its own command back, unless that is `inherited`, another file's. Everything else keeps
 * its bytes. Throws `SETTINGS_INVALID`.
 */
export function removeEntries(
	text: string,
	{ path = "settings.json", inherited }: Pick<Options, "path" | "inherited"> = {},
): string {
	return editJson(text, path, (settings) => ({
		...settings,
		permissions: withoutRules(settings.permissions),
		hooks: changedHooks(settings, () => undefined),
		statusLine: withoutStatusLine(settings.statusLine, inherited?.command),
	}));
}

/** The text of `settings.example.json`. */
export const settingsExample = (launcher: string): string => addEntries("", catalog(launcher));

/** A file's status line with the command that is not ccg's; `undefined` when there is none. */
export function originalStatusLine(text: string) {
	const { statusLine: line } = settingsIn(text) ?? {};
	const command = isObject(line) ? originalCommand(line.command) : undefined;
	if (!isObject(line) || command === undefined) return undefined;
	const { padding, refreshInterval } = line;
	return {
		...{ type: "command", command },
		...(typeof padding === "number" && { padding }),
		...(typeof refreshInterval === "number" && { refreshInterval }),
	};
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
	const own = new Map<unknown, Entry>();
	for (const entry of entriesIn(settings)) if (!entry.isShared) own.set(entry.value, entry);
	const changed = (handler: unknown): unknown => (own.has(handler) ? change(own.get(handler)!) : handler);
	return mapContainer(settings.hooks, (groups) =>
		mapContainer(groups, (group) => {
			if (!isObject(group) || !Array.isArray(group.hooks)) return group;
			const hooks = mapContainer(group.hooks, changed);
			return hooks && { ...group, hooks };
		}),
	);
}

function withStatusLine(line: unknown, entries: Catalog, inherited: StatusLineValue | undefined): unknown {
	if (!isObject(line)) {
		const command = entries.statusLine(inherited?.command);
		return inherited ? { ...inherited, command } : { type: "command", command, padding: 0 };
	}
	return { ...line, command: entries.statusLine(originalCommand(line.command) ?? inherited?.command) };
}

function withoutStatusLine(line: unknown, inherited: string | undefined): unknown {
	if (!isObject(line) || !isOwnLine(line.command)) return line;
	const original = originalCommand(line.command);
	return original === undefined || original === inherited ? undefined : { ...line, command: original };
}

function isOwnLine(command: unknown): boolean {
	const call = typeof command === "string" ? callIn(command) : null;
	return call?.part === "statusline" && !call.isShared;
}

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
