import type { FoundPassage, Passage } from "../../core/search/passage.ts";

/** A shorter text is not worth packing. */
const PACKED_FROM = 120;

/** A passage as it stands in the index, with what its source tells of it. */
export interface PassageRow extends Omit<Passage, "text"> {
	id: number;
	tag: string;
	source_path: string;
	project: string;
	session: string;
	rules: string;
	gone: number;
	score: number;
	text: string | Uint8Array;
}

/** Throws what a damaged index throws where a row is not one of ours. */
export function passageOf({ tag, source_path, gone, text, ...row }: PassageRow): FoundPassage {
	const columns = [tag, source_path, row.rules, row.kind, row.tool, row.path, row.project, row.session];
	if (columns.some((one) => typeof one !== "string")) throw damage("a passage lacks what each has");
	return {
		...row,
		order: row.id,
		id: passageId(tag, row.pos, row.part),
		source: source_path,
		left: gone !== 0,
		text: unpacked(text),
	};
}

/** What SQLite itself took for whole. */
const damage = (message: string): Error => Object.assign(new Error(message), { code: "SQLITE_CORRUPT" });

export const passageId = (tag: string, pos: number, part: number): string =>
	`${tag}.${pos.toString(36)}${part > 0 ? `.${part.toString(36)}` : ""}`;

/** Texts are packed one by one, so that each is read without the others. (As small as with zlib's level 4, in two thirds of the time.) */
export const packed = (text: string): string | Uint8Array => {
	const bytes = Buffer.from(text);
	return bytes.length < PACKED_FROM ? text : Bun.deflateSync(bytes, { level: 1, library: "libdeflate" });
};

/** None of ours comes near; packed to as much, others hold 67 MB at most. */
const MAX_BYTES = 65_536;

function unpacked(text: unknown): string {
	if (typeof text === "string") return text;
	const packed = text as Uint8Array<ArrayBuffer>;
	let bytes: Uint8Array | null = null;
	try {
		if (packed.length <= MAX_BYTES) bytes = Bun.inflateSync(packed);
	} catch {
		// told below
	}
	if (!bytes || bytes.length > MAX_BYTES) throw damage("a passage can't be unpacked");
	return Buffer.from(bytes).toString("utf8");
}
