import { counted } from "../../core/text/text.ts";
import { type CheckedNote, checkNotes, type MemoryCheck } from "../../store/memory/check-notes.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { projectFolderOf } from "../../store/session/session-project.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { fitted } from "../support/layout/fit.ts";
import { oneLineOf } from "../support/pick-note.ts";

/** `ccg memory check`: the process ends 1 when something is found. */
export function check({ json }: { json?: boolean }, io: Io): void {
	const found = checkNotes(storeOf(io).root, projectFolderOf(io));
	const isClean = found.gone.length + found.contradictions.length === 0;
	if (json) answerJson(io, asJson(found, isClean));
	else for (const line of linesOf(found, isClean, io)) io.out(line);
	if (!isClean) io.exit(1);
}

const asJson = ({ files, notes, gone, contradictions, searched, unseen }: MemoryCheck, ok: boolean) => ({
	ok,
	files,
	notes,
	gone,
	contradictions,
	filesSearched: searched,
	unseen,
});

function linesOf({ notes, gone, contradictions, searched, unseen }: MemoryCheck, isClean: boolean, io: Io): string[] {
	const lines: string[] = [];
	const noteLine = ({ scope, number, text }: CheckedNote, more = ""): string =>
		fitted(`${scope === "global" ? "global " : ""}note ${number}: ${oneLineOf(text)}${more}`, (io.columns ?? 200) - 2);
	for (const { paths, symbols, ...note } of gone) {
		lines.push(noteLine(note));
		for (const path of paths) lines.push(`  ${oneLineOf(path)} is not in the project`);
		for (const symbol of symbols) lines.push(`  ${oneLineOf(symbol)} is in no file of the project's code`);
	}
	for (const { key, said } of contradictions) {
		lines.push(fitted(`these contradict each other about: ${oneLineOf(key)}`, io.columns ?? 200));
		for (const one of said) lines.push(`  ${noteLine(one)}`);
	}
	if (lines.length > 0) lines.push("");
	const looked = searched > 0 ? `, ${counted(searched, "file")} searched` : "";
	lines.push(
		`${counted(notes, "note")} checked${looked}: ${isClean ? "nothing wrong found" : summary(gone.length, contradictions.length)}`,
	);
	for (const one of unseen) lines.push(`not complete: ${one}`);
	return lines;
}

function summary(gone: number, contradictions: number): string {
	const parts = [
		...(gone > 0 ? [counted(gone, "names what is not there", "name what is not there")] : []),
		...(contradictions > 0 ? [counted(contradictions, "contradiction")] : []),
	];
	return parts.join(", ");
}
