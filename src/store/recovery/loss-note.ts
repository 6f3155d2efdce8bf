import { existsSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Loss } from "../../core/recovery/loss-line.ts";
import { quietly } from "../atomic-write.ts";
import { createFirst, writeText } from "../gate.ts";
import { readText } from "../json-file.ts";
import type { Session } from "../session-handle.ts";

/** What the last summary left out, for the user's eyes: the line in the terminal and the status line, until the next prompt. */
export interface LossNote extends Loss {
	/** The compaction's checkpoint. */
	key: string;
	/** Claude Code's id of the prompt in whose turn the compaction came; `""` before 2.1.196, which names none. */
	prompt: string;
}

/** One short line of text: the status line reads it at each refresh while it stands. */
export function writeLossNote(session: Session, { key, total, lost, back, later, claims, prompt }: LossNote): void {
	const words = [key, total, lost, back, later, claims, PROMPT.test(prompt) ? prompt : "-"];
	writeText(session.paths.lossNote, `${words.join(" ")}\n`, { sync: false });
}

/** `null` where there is none, or it can't be read. */
export function readLossNote(session: Session): LossNote | null {
	const match = NOTE.exec(readText(session.paths.lossNote, MAX_BYTES) ?? "");
	if (!match) return null;
	const [total, lost, back, later, claims] = match.slice(2, 7).map(Number) as [number, number, number, number, number];
	return { key: match[1]!, total, lost, back, later, claims, prompt: match[7] === "-" ? "" : match[7]! };
}

/** The note, while the turn of the compaction lasts and nobody has said anything new. */
export function freshLossNote(session: Session, prompt: string | null): LossNote | null {
	const note = readLossNote(session);
	return note && note.prompt === (prompt ?? "") ? note : null;
}

export function dropLossNote(session: Session): void {
	const { lossNote } = session.paths;
	if (existsSync(lossNote)) quietly(() => unlinkSync(lossNote));
}

/** Whether the user was told of this compaction in a line. */
export const isLossTold = (session: Session, key: string): boolean => existsSync(toldPath(session, key));

/** Of all events that ask, one tells the user: once for each compaction, whatever is injected again at a resume. */
export const claimLossLine = (session: Session, key: string): boolean => createFirst(toldPath(session, key), "");

const toldPath = (session: Session, key: string): string => join(session.paths.injected, `${key}.told`);

const PROMPT = /^[\w-]{1,64}$/;
const NOTE = /^(\w{1,60}) (\d{1,6}) (\d{1,6}) (\d{1,6}) (\d{1,6}) (\d{1,6}) ([\w-]{1,64})\n$/;
const MAX_BYTES = 300;
