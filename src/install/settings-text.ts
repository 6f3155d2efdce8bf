import { isObject } from "../core/transcript/decode.ts";
import { type Catalog, catalog, GRANTED_COMMANDS, grantRules } from "./catalog.ts";
import { ccgEntries, type Entry, isGrantOf, listOrEmpty, parseCcgCommand, parseSettings } from "./entries.ts";
import { editJson, mapOrDrop } from "./json-text.ts";

type Settings = Record<string, unknown>;

/**
 * Gives the text of a settings file with all entries of the catalog. New ones are appended, outdated ones of ccg replaced in place; all other
 * bytes stay. The status line runs the user's own command: that of the file, or `inherited`, that of another file which ccg's would hide.
 * `grantFor`: the launcher that permission rules for `GRANTED_COMMANDS` are added for. Throws `SETTINGS_INVALID` (with `path` in it) when the text can't be edited safely.
 */
export function addCcgEntries(
	text: string,
	entries: Catalog,
	options: { path?: string; inherited?: Settings | undefined; grantFor?: string | undefined } = {},
): string {
	const { path = "settings.json", inherited, grantFor } = options;
	return editJson(text, path, (settings) => ({
		...settings,
		permissions: grantFor ? withGrants(settings.permissions, grantFor) : settings.permissions,
		hooks: withHooks(settings, entries),
		statusLine: withStatusLine(settings.statusLine, entries, inherited),
	}));
}

/**
 * The settings without any entry of ccg, of this installation or another; containers that held nothing else go with
 * them, a wrapped status line gets its own command back, unless that is `inherited`, another file's. Everything else keeps
 * its bytes. Throws `SETTINGS_INVALID`.
 */
export const removeCcgEntries = (text: string, path = "settings.json", inherited?: Settings): string =>
	editJson(text, path, (settings) => ({
		...settings,
		permissions: withoutGrants(settings.permissions),
		hooks: mapCcgHooks(settings, () => undefined),
		statusLine: withoutStatusLine(settings.statusLine, inherited?.command),
	}));

/** The text of `settings.example.json`. */
export const settingsExample = (launcher: string): string => addCcgEntries("", catalog(launcher));

/** The status line in a settings file's text with the user's own command; `undefined` where it has no such command. */
export function originalStatusLine(text: string) {
	const { statusLine: line } = parseSettings(text) ?? {};
	const command = isObject(line) ? originalCommand(line.command) : undefined;
	return command === undefined ? undefined : { ...(line as Settings), command };
}

/** The text of a settings file for printing: every value below `env` is hidden, since keys and tokens are kept there. */
export const hideEnvironment = (text: string): string =>
	editJson(text, "", (settings) => ({ ...settings, env: mapOrDrop(settings.env, () => "…") }));

/** The settings' hooks with those of the catalog: ccg's own are brought up to date or removed, missing ones added. */
function withHooks(settings: Settings, { hooks }: Catalog): unknown {
	const missing = [...hooks];
	const changed = mapCcgHooks(settings, ({ event, part, command, value }) => {
		const at = missing.findIndex((hook) => hook.event === event && hook.part === part);
		const [wanted] = at < 0 ? [] : missing.splice(at, 1);
		// with the right command it stays as it is: the user may have changed its timeout
		return command === wanted?.handler.command && !value.args ? value : wanted?.handler;
	});
	if (missing.length === 0) return changed;
	const all: Settings = { ...(isObject(changed) && changed) };
	for (const { event, handler } of missing) all[event] = [...listOrEmpty(all[event]), { hooks: [handler] }];
	return all;
}

/**
 * The settings' hooks with `change` applied to ccg's own; others stay. `undefined` removes a hook, and with the last one of a group the group,
 * which means nothing without.
 */
function mapCcgHooks(settings: Settings, change: (entry: Entry) => object | undefined): unknown {
	const ccgHooks = new Map<unknown, Entry>(ccgEntries(settings).map((entry) => [entry.value, entry]));
	const changeOwn = (handler: unknown): unknown => (ccgHooks.has(handler) ? change(ccgHooks.get(handler)!) : handler);
	return mapOrDrop(settings.hooks, (groups) =>
		mapOrDrop(groups, (group) => {
			if (!isObject(group) || !Array.isArray(group.hooks)) return group;
			const hooks = mapOrDrop(group.hooks, changeOwn);
			return hooks && { ...group, hooks };
		}),
	);
}

/** A status line of ccg alone runs each 10 s too: a turn's end and the end of the prompt cache come without a new answer. */
const OWN_STATUS_LINE = { type: "command", command: undefined, padding: 0, refreshInterval: 10 };

/** ccg's status line, around the user's own command: from this file's status line, or from the `inherited` one that it hides. */
function withStatusLine(line: unknown, entries: Catalog, inherited: Settings | undefined): unknown {
	const current = isObject(line) ? line : (inherited ?? OWN_STATUS_LINE);
	const wrapped = originalCommand(current.command) ?? originalCommand(inherited?.command);
	return { ...current, command: entries.statusLine(wrapped) };
}

/** A status line without ccg: with the user's own command, `undefined` where it has none or only the one of another file. */
function withoutStatusLine(line: unknown, inheritedCommand: unknown): unknown {
	if (!isObject(line) || !isCcgStatusLine(line.command)) return line;
	const original = originalCommand(line.command);
	return original === undefined || original === inheritedCommand ? undefined : { ...line, command: original };
}

/** Whether a status line's command is one that ccg registered. */
const isCcgStatusLine = (command: unknown): boolean =>
	typeof command === "string" && parseCcgCommand(command)?.part === "statusline";

/** The user's own command in a status line's command, however often ccg's was put around it; `undefined` without one. */
function originalCommand(command: unknown): string | undefined {
	let inner = typeof command === "string" ? command : undefined;
	while (inner !== undefined && isCcgStatusLine(inner)) inner = parseCcgCommand(inner)?.wrapped;
	return inner;
}

/** The permissions with the rules that let the agent run ccg's granted commands; older rules for them are replaced. */
function withGrants(permissions: unknown, launcher: string): Settings {
	const { allow, ...rest } = isObject(permissions) ? permissions : {};
	const otherRules = listOrEmpty(allow).filter((rule) => !isGrantOf(rule, GRANTED_COMMANDS));
	return { ...rest, allow: [...otherRules, ...grantRules(launcher)] };
}

/** The permissions without the rules that an install added; an emptied list goes too. */
function withoutGrants(permissions: unknown): unknown {
	if (!isObject(permissions) || !Array.isArray(permissions.allow)) return permissions;
	const allow = mapOrDrop(permissions.allow, (rule) => (isGrantOf(rule, GRANTED_COMMANDS) ? undefined : rule));
	return mapOrDrop(permissions, (value) => (value === permissions.allow ? allow : value));
}
