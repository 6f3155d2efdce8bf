import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** A file's bytes, unpacked where its name ends in `.gz`. */
export function readUnpacked(path: string): Buffer {
	const bytes = readFileSync(path);
	return path.endsWith(".gz") ? Buffer.from(Bun.gunzipSync(bytes)) : bytes;
}

/** The transcripts (`*.jsonl`, `*.jsonl.gz`) of a folder in order of their names, each read when it is asked for; `name` without ending. */
export function* transcriptsIn(folder: string): Generator<{ name: string; bytes: Buffer }> {
	const files = readdirSync(folder).filter((name) => /\.jsonl(\.gz)?$/.test(name));
	for (const file of files.sort())
		yield { name: basename(file.replace(/\.gz$/, ""), ".jsonl"), bytes: readUnpacked(join(folder, file)) };
}
