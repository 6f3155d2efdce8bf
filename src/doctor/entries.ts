import { realpathSync } from "node:fs";
import { type Call, callIn } from "../install/recognise.ts";
import { isObject, type SettingsFile } from "../install/settings-sources.ts";

/** An entry of ccg in a settings file. */
export interface SettingsEntry extends Call {
	source: SettingsFile;
	/** `null` for the status line. */
	event: string | null;
	command: string;
	/** The entry whole, as the file holds it. */
	value: Record<string, unknown>;
	/** Of the group around it; a matcher narrows when it runs. */
	matcher?: string;
}

/** All entries of ccg in the files, also those that run something else beside it. */
export function entriesIn(sources: readonly SettingsFile[]): SettingsEntry[] {
	return sources.flatMap((source) => [...hookEntries(source), ...statusLineEntry(source)]);
}

/** The path a launcher stands for, links resolved; the path itself when it is gone. */
export function realLauncher(launcher: string): string {
	try {
		return realpathSync(launcher);
	} catch {
		return launcher;
	}
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
	const { command, args } = value;
	if (typeof command !== "string") return null;
	const found = callIn(command, Array.isArray(args) ? args.map(String) : undefined);
	return found && { source, event, command, value, ...found };
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
