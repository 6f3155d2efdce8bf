import { nearlySame } from "../../core/memory/likeness.ts";
import { oneLine } from "../../core/text/text.ts";
import { cleanText, type Note, noteKey, notesIn } from "./notes.ts";

/** A note that says the same, or nearly; `number` (from 1) is `null` in a file of which only the end was looked at. */
export interface LikeNote {
	number: number | null;
	text: string;
}

/** `note 3: - tests run with bun`. */
export const likeText = ({ number, text }: LikeNote): string =>
	`${number === null ? "one of its last notes" : `note ${number}`}: ${oneLine(cleanText(text))}`;

/** Of a larger file the end is looked at for what says the same. */
const LOOKED_AT = 1024 * 1024;
/** So many notes, the newest, are compared by their words. */
const COMPARED = 2_000;

/** The note of a file, other than `but`, that says the same as `note`, or nearly. */
export function likeNote(
	bytes: Buffer,
	note: string,
	{ isLog = false, nearly = true, but = null }: { isLog?: boolean; nearly?: boolean; but?: Note | null } = {},
): { status: "duplicate" | "similar"; like: LikeNote } | null {
	const from = bytes.length <= LOOKED_AT ? 0 : bytes.indexOf(10, bytes.length - LOOKED_AT) + 1;
	const all = notesIn(bytes.toString("utf8", from));
	const others = but ? all.filter(({ at }) => at !== but.at) : all;
	const asLike = (one: Note): LikeNote => ({
		number: from === 0 ? all.indexOf(one) + 1 : null,
		text: one.lines.join("\n"),
	});
	const wanted = noteKey(`- ${note}`);
	const same = others.find(({ lines }) => {
		const key = noteKey(lines.join("\n"));
		return key === wanted || (isLog && key.replace(/^\d\d:\d\d /, "") === wanted);
	});
	if (same) return { status: "duplicate", like: asLike(same) };
	if (!nearly) return null;
	const newest = others.slice(-COMPARED);
	const near =
		newest[
			nearlySame(
				note,
				newest.map(({ lines }) => lines.join("\n")),
			)
		];
	return near ? { status: "similar", like: asLike(near) } : null;
}
