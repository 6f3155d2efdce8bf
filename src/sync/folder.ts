import { mkdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { namesIn } from "../files/names-in.ts";
import { openInside, statInside } from "../files/read-inside.ts";
import { coded } from "../files/system-failure.ts";
import { writeFileAtomic } from "../store/atomic-write.ts";
import {
	type Carried,
	type Carrier,
	DOCUMENT,
	MACHINE,
	MAX_BATCH,
	MAX_DOCUMENT,
	PROJECT,
	READ_BYTES,
} from "./carrier.ts";

/** Below the folder that is shared. */
export const OURS = "ccg-sync";
/** A segment is closed when it has so many bytes: it never changes again. */
const SEGMENT = 1024 * 1024;
const MAX_SEGMENT = SEGMENT + MAX_BATCH + 64;
const NAME = /^(\d{10})\.log$/;

/** The ids of the spaces that a folder holds. */
export const spacesIn = (folder: string): string[] =>
	namesIn(join(folder, OURS))
		.filter((name) => MACHINE.test(name))
		.sort();

/**
 * A folder that something else brings from machine to machine. Each machine writes files of its own, so nothing below ever has two
 * writers; a line that does not end has not come yet. What others wrote is read inside the folder only, and no link is followed.
 * Throws with code `EOFFLINE` where the folder, or in it the space, is not there.
 */
export function folderCarrier(folder: string, space: string, { create = false } = {}): Carrier {
	const own = join(OURS, space);
	const root = join(folder, own);
	const isThere = (): boolean => statInside(folder, own)?.isDirectory() ?? false;
	const refuseAbsent = (): void => {
		if (!isThere())
			throw coded(
				"EOFFLINE",
				`${folder} is not there, or does not hold the space; is the drive mounted, or not synchronised yet?`,
			);
	};
	if (create && statSync(folder, { throwIfNoEntry: false })?.isDirectory()) mkdirSync(root, { recursive: true });
	refuseAbsent();
	const segmentAt = (machine: string, first: number): Segment => ({
		first,
		path: `${own}/${machine}/${String(first).padStart(10, "0")}.log`,
	});
	const segments = (machine: string): Segment[] =>
		namesIn(join(root, machine))
			.flatMap((name) => NAME.exec(name)?.[1] ?? [])
			.sort()
			.map((digits) => segmentAt(machine, Number(digits)));
	/** The whole lines of a segment, each with its end. */
	const wholeOf = ({ path }: Segment): Buffer => {
		const bytes = openInside(folder, path, { maxBytes: MAX_SEGMENT })?.bytes ?? Buffer.alloc(0);
		return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
	};
	const lastIn = (one: Segment): number => one.first - 1 + linesIn(wholeOf(one));
	/** How far a machine's batches go without a gap, and the segment that ends there: files come in any order, and old ones come back. */
	const endOf = (machine: string): { from: number; to: number; last: Segment | undefined } => {
		const all = segments(machine);
		const from = all[0]?.first ?? 1;
		let [to, last]: [number, Segment | undefined] = [from - 1, undefined];
		for (const one of all) {
			if (one.first > to + 1) break;
			const end = lastIn(one);
			if (end >= to) [to, last] = [end, one];
		}
		return { from, to, last };
	};
	/** The lines from a batch on in the one segment that holds it. */
	const linesFrom = (all: readonly Segment[], seq: number): string[] => {
		for (const one of all.filter(({ first }) => first <= seq).reverse()) {
			const lines = wholeOf(one)
				.toString("utf8")
				.split("\n")
				.slice(seq - one.first, -1);
			if (lines.length > 0) return lines;
		}
		return [];
	};
	/** Puts a file in the place of the one there was. */
	const write = (path: string, bytes: Uint8Array): void => {
		const full = join(folder, path);
		mkdirSync(dirname(full), { recursive: true });
		writeFileAtomic(full, bytes, { durable: true, mode: 0o644 });
	};
	const documentPath = (name: string): string => {
		if (!DOCUMENT.test(name)) throw new Error(`'${name}' is no name of a document`);
		return `${own}/documents/${name}`;
	};
	return {
		async heads() {
			refuseAbsent();
			const found = new Map<string, { from: number; to: number }>();
			for (const machine of namesIn(root).filter((name) => MACHINE.test(name))) {
				const { from, to } = endOf(machine);
				if (to >= from) found.set(machine, { from, to });
			}
			return found;
		},
		async read(machine, seq, bytes = READ_BYTES) {
			if (!MACHINE.test(machine)) return [];
			const all = segments(machine);
			const given: Carried[] = [];
			let left = bytes;
			for (;;) {
				const lines = linesFrom(all, seq + given.length);
				if (lines.length === 0) return given;
				for (const line of lines) {
					const one = carriedIn(line, seq + given.length);
					left -= one?.bytes.length ?? 0;
					if (!one || (given.length > 0 && left < 0)) return given;
					given.push(one);
				}
			}
		},
		async append(machine, batches) {
			refuseAbsent();
			const { to, last } = endOf(machine);
			let next = last ? to + 1 : (batches[0]?.seq ?? 1);
			let segment = last ?? segmentAt(machine, next);
			// (without the half line that came, or that was left)
			let lines = wholeOf(segment);
			const due = batches.filter(({ seq }) => seq >= next);
			for (const { seq, project, bytes } of due) {
				if (seq > next) throw new Error(`batch ${seq} does not follow on ${next - 1}`);
				if (lines.length >= SEGMENT) {
					write(segment.path, lines);
					[segment, lines] = [segmentAt(machine, next), Buffer.alloc(0)];
				}
				lines = Buffer.concat([lines, Buffer.from(`${project ?? "-"} `), bytes, Buffer.from("\n")]);
				next++;
			}
			if (due.length > 0) write(segment.path, lines);
		},
		async forget(machine, seq) {
			const gone = segments(machine).filter(({ first }) => first <= seq);
			const rest = gone.length > 0 ? segmentAt(machine, seq + 1) : null;
			// also where nothing is left it says what the next number is
			if (rest && !statInside(folder, rest.path)) {
				const lines = linesFrom(gone, seq + 1).map((line) => `${line}\n`);
				write(rest.path, Buffer.from(lines.join("")));
			}
			for (const { path } of gone) rmSync(join(folder, path), { force: true });
		},
		async get(name) {
			refuseAbsent();
			return openInside(folder, documentPath(name), { maxBytes: MAX_DOCUMENT })?.bytes ?? null;
		},
		async put(name, bytes) {
			write(documentPath(name), bytes);
		},
		async list(prefix) {
			const below = (at: string): string[] =>
				namesIn(join(root, "documents", at)).flatMap((name) => {
					const one = at ? `${at}/${name}` : name;
					return statInside(folder, `${own}/documents/${one}`)?.isDirectory() ? below(one) : [one];
				});
			return below("")
				.filter((name) => DOCUMENT.test(name) && name.startsWith(prefix))
				.sort();
		},
		async remove(name) {
			rmSync(join(folder, documentPath(name)), { force: true });
		},
		async push() {},
		async close() {},
	};
}

interface Segment {
	/** The number of its first batch. */
	first: number;
	path: string;
}

function carriedIn(line: string, seq: number): Carried | null {
	const space = line.indexOf(" ");
	const project = line.slice(0, space);
	if (project !== "-" && !PROJECT.test(project)) return null;
	return { seq, project: project === "-" ? null : project, bytes: Buffer.from(line.slice(space + 1)) };
}

function linesIn(bytes: Buffer): number {
	let lines = 0;
	for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++;
	return lines;
}
