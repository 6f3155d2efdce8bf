import { type Recognised, recognise } from "../install/catalog.ts";
import { type EntryName, HOOK_PARTS } from "../install/hook-parts.ts";
import { isObject, type SettingsFile } from "../install/settings-sources.ts";
import { unquoted } from "../install/shell-word.ts";

/** An entry of ccg in a settings file. */
export interface SettingsEntry extends Recognised {
	source: SettingsFile;
	/** `null` for the status line. */
	event: string | null;
	command: string;
	/** The entry whole, as the file holds it. */
	value: Record<string, unknown>;
	/** Of the group around it; a matcher narrows when it runs. */
	matcher?: string;
	/** It calls ccg, but its text is none the installer writes: install and uninstall pass it over. */
	edited: boolean;
}

/** All entries of ccg in the files, also those somebody has edited by hand. */
export function entriesIn(sources: readonly SettingsFile[]): SettingsEntry[] {
	return sources.flatMap((source) => [...hookEntries(source), ...statusLineEntry(source)]);
}

/** How people name an entry. */
export const eventName = ({ event }: Pick<SettingsEntry, "event">): string => event ?? "StatusLine";

function hookEntries(source: SettingsFile): SettingsEntry[] {
	const hooks = source.settings?.hooks;
	if (!isObject(hooks)) return [];
	return Object.entries(hooks).flatMap(([event, groups]) =>
		list(groups).flatMap((group) =>
			(isObject(group) ? list(group.hooks) : []).flatMap((value) => {
				const entry = isObject(value) ? entryOf(source, event, value) : null;
				if (!entry || entry.part === "statusline") return [];
				const matcher = (group as { matcher?: unknown }).matcher;
				return [{ ...entry, ...(typeof matcher === "string" && matcher !== "" && matcher !== "*" && { matcher }) }];
			}),
		),
	);
}

function statusLineEntry(source: SettingsFile): SettingsEntry[] {
	const line = source.settings?.statusLine;
	const entry = isObject(line) ? entryOf(source, null, line) : null;
	return entry?.part === "statusline" ? [entry] : [];
}

function entryOf(source: SettingsFile, event: string | null, value: Record<string, unknown>): SettingsEntry | null {
	const { command } = value;
	if (typeof command !== "string") return null;
	const own = recognise(command);
	const found = own ?? recogniseEdited(command);
	return found && { source, event, command, value, ...found, edited: own === null };
}

const PARTS = HOOK_PARTS;
const CALL = new RegExp(
	`('(?:[^']|'\\\\'')*/ccg'|"[^"\\\\$\`]*/ccg"|/[A-Za-z0-9_./-]*/ccg) (?:hook (${PARTS.join("|")})|statusline)(?![\\w-])`,
);

/** A call of ccg inside a command of somebody's own making. */
function recogniseEdited(command: string): Recognised | null {
	const found = CALL.exec(command);
	if (!found) return null;
	return { launcher: unquoted(found[1]!), part: (found[2] as EntryName | undefined) ?? "statusline" };
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
