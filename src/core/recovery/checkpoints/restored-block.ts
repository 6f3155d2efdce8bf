import type { Checkpoint } from "../checkpoint.ts";
import { asImported, importedLine, toldAsImported } from "../imported.ts";
import { foreign, quotedName, storePath } from "../item-text.ts";
import { pack } from "../pack.ts";
import { sectionText } from "../section-text.ts";
import { sectionsOf } from "../sections.ts";
import { typeOf } from "./document-state.ts";
import type { WorkspaceChange } from "./workspace-changes.ts";

export interface RestoreInput {
	checkpoint: Checkpoint;
	/** Path of what there is to read of it. */
	path: string;
	/** ISO time of the restore. */
	at: string;
	/** Who asked, in words. */
	by: string;
	/** What is not as it was. */
	changes: readonly WorkspaceChange[];
	/** Memories that are gone. */
	missing: readonly string[];
	maxChars: number;
}

const CHANGES = 12;

/**
 * What the model gets of a restored checkpoint: marked as restored and by whom, what has changed since, then its items, the
 * user's words first. Always starts with `ccg restored`.
 */
export function restoredBlock(input: RestoreInput): string {
	const { checkpoint, path, at, by, changes, missing, maxChars } = input;
	const { key, session, projectDir, state, workspace, note, imported } = checkpoint;
	const base = projectDir || state.cwd;
	const head = [
		`ccg restored ${key} (${typeOf(checkpoint)}): ${by} at ${at} with 'ccg checkpoint restore'. It is a state of before, as of ${checkpoint.at}` +
			`, of session ${session}; what was said in this conversation since then is newer.${imported ? "" : " Text in \" or behind > is the user's own."} Paths from ${base ? quotedName(base) : "the session's folder"} on. All of it: ${storePath(path)}`,
		...(imported ? [importedLine(imported)] : []),
		...[
			...(note ? [`Note saved with it: ${foreign(note)}`] : []),
			...changeLines(changes, checkpoint.at),
			...(missing.length ? [`Memories that are gone: ${missing.slice(0, CHANGES).map(foreign).join(", ")}`] : []),
		].map((line) => asImported(line, imported)),
	].join("\n");
	const sections = toldAsImported(sectionsOf(state, workspace, false, base), imported);
	const packed = pack(sections, maxChars - head.length - 1);
	return [head, ...packed.map(sectionText)].join("\n");
}

function changeLines(changes: readonly WorkspaceChange[], since: string): string[] {
	if (changes.length === 0) return [`Branch, commit and files are as they were at ${since}, as far as ccg looked.`];
	const left = changes.length - CHANGES;
	return [
		"## Not as it was then",
		...changes.slice(0, CHANGES).map(({ says }) => `- ${says}`),
		...(left > 0 ? [`- and ${left} more`] : []),
	];
}
