import { statSync } from "node:fs";
import { resolve } from "node:path";
import { counted } from "../../core/text/text.ts";
import { notesOf, textOf } from "../../store/memory/delete-note.ts";
import type { MemoryScope } from "../../store/memory/memory.ts";
import { moveNote } from "../../store/memory/move-note.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { projectFolderOf } from "../../store/session/session-project.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { numberNotes, theOne } from "../support/pick-note.ts";
import { tellSimilar } from "./memory.ts";

export interface MoveOptions {
	to?: string;
	global?: boolean;
	anyway?: boolean;
	json?: boolean;
}

/** `ccg memory move`. */
export function move(named: string, { to, global, anyway, json }: MoveOptions, io: Io): void {
	const scope = global ? { global: true as const } : { cwd: projectFolderOf(io) };
	const place = { ...storeOf(io), scope };
	const { path, notes } = notesOf(place);
	if (named === "" || to === undefined)
		return numberNotes(path, notes, "To move one: ccg memory move NUMBER --to global", Boolean(json), io);
	const note = theOne(named, notes, path, io);
	const moved = moveNote(place, note, scopeOf(to, io), { anyway: Boolean(anyway) });
	if (moved.status === "similar") {
		tellSimilar("moved", moved.to, moved.like, io);
		return io.err("To move it all the same add --anyway");
	}
	if (json)
		return answerJson(io, {
			moved: textOf(note),
			from: moved.from,
			to: moved.to,
			stoodThere: moved.status === "duplicate",
			notesLeft: moved.left,
		});
	const how = moved.status === "duplicate" ? "it stood there already, and is gone from" : "it is gone from";
	io.out(`moved to ${moved.to}; ${how} ${moved.from}, which has ${counted(moved.left, "note")} now`);
}

/** `global`, `project` (of this folder), or a folder of another project. */
function scopeOf(to: string, io: Io): MemoryScope {
	if (to === "global") return { global: true };
	if (to === "project") return { cwd: projectFolderOf(io) };
	const folder = resolve(io.cwd, to);
	if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
		throw new Error(`'${to}' is no folder; --to takes global, project, or the folder of a project`);
	return { cwd: folder };
}
