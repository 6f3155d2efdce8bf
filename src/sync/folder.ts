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
const SEGMENT = 256 * 1024;
const MAX_SEGMENT = SEGMENT + MAX_BATCH + 64;
const NAME = /^(\d{10})\.log$/;

/** The ids of the spaces that a folder holds. */
export const spacesIn = (folder: string): string[] => namesIn(join(folder, OURS)).filter((name) => MACHINE.test(name));

/** The paths of plain files below one in a folder; no link is followed. */
export const filesIn = (folder: string, at: string): string[] =>
	namesIn(join(folder, at)).flatMap((name) => {
		const path = `${at}/${name}`;
		const found = statInside(folder, path);
		return found?.isDirectory() ? filesIn(folder, path) : found?.isFile() ? [path] : [];
	});

/**
 * A folder that something else brings from machine to machine. Each machine writes files of its own, so nothing below ever has two
 * writers; a line that does not end has not come yet. What others wrote is read inside the folder only, and no link is followed.
 * Throws with code `EOFFLINE` where the folder, or in it the space, is not there.
 */
export function folderCarrier(folder: string, space: string, { create = false } = {}): Carrier {
	const own = join(OURS, space);
	const root = join(folder, own);
	const refuseAbsent = (): void => {
		if (!statInside(folder, own)?.isDirectory())
			throw coded(
				"EOFFLINE",
				`${folder} is not there, or does not hold the space; is the drive mounted, or not synchronised yet?`,
			);
	};
	if (create && statSync(folder, { throwIfNoEntry: false })?.isDirectory()) mkdirSync(root, { recursive: true });
	refuseAbsent();
	const pathOf = (machine: string, first: number): string => `${own}/${machine}/${String(first).padStart(10, "0")}.log`;
	/** The segments of a machine, each by the number of its first batch. */
	const segments = (machine: string): number[] =>
		namesIn(join(root, machine)).flatMap((name) => Number(NAME.exec(name)?.[1]) || []);
	/** The whole lines of a segment, each with its end. */
	const wholeOf = (machine: string, first: number): Buffer => {
		const bytes = openInside(folder, pathOf(machine, first), { maxBytes: MAX_SEGMENT })?.bytes ?? Buffer.alloc(0);
		return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
	};
	/** How far a machine's batches go without a gap, and the segment that ends there: files come in any order, and old ones come back. */
	const endOf = (machine: string): { from: number; to: number; last: number | undefined } => {
		const all = segments(machine);
		const from = all[0] ?? 1;
		let [to, last]: [number, number | undefined] = [from - 1, undefined];
		for (const first of all) {
			if (first > to + 1) break;
			const end = first - 1 + linesIn(wholeOf(machine, first));
			if (end >= to) [to, last] = [end, first];
		}
		return { from, to, last };
	};
	/** The lines from a batch on in the one of these segments that holds it. */
	const linesFrom = (machine: string, all: readonly number[], seq: number): string[] => {
		for (const first of all.filter((one) => one <= seq).reverse()) {
			const lines = wholeOf(machine, first).toString("utf8").split("\n");
			if (lines.length > seq - first + 1) return lines.slice(seq - first, -1);
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
				const lines = linesFrom(machine, all, seq + given.length);
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
			let first = last ?? next;
			// (without the half line that came, or that was left)
			let lines = wholeOf(machine, first);
			const due = batches.filter(({ seq }) => seq >= next);
			for (const { seq, project, bytes } of due) {
				if (seq > next) throw new Error(`batch ${seq} does not follow on ${next - 1}`);
				if (lines.length >= SEGMENT) {
					write(pathOf(machine, first), lines);
					[first, lines] = [next, Buffer.alloc(0)];
				}
				lines = Buffer.concat([lines, Buffer.from(`${project ?? "-"} `), bytes, Buffer.from("\n")]);
				next++;
			}
			if (due.length > 0) write(pathOf(machine, first), lines);
		},
		async forget(machine, seq) {
			const gone = segments(machine).filter((first) => first <= seq);
			const rest = pathOf(machine, seq + 1);
			// also where nothing is left it says what the next number is
			if (gone.length > 0 && !statInside(folder, rest)) {
				const lines = linesFrom(machine, gone, seq + 1).map((line) => `${line}\n`);
				write(rest, Buffer.from(lines.join("")));
			}
			for (const first of gone) rmSync(join(folder, pathOf(machine, first)), { force: true });
		},
		async get(name) {
			refuseAbsent();
			return openInside(folder, documentPath(name), { maxBytes: MAX_DOCUMENT })?.bytes ?? null;
		},
		async put(name, bytes) {
			write(documentPath(name), bytes);
		},
		async list(prefix) {
			const at = `${own}/documents`;
			return filesIn(folder, at)
				.map((path) => path.slice(at.length + 1))
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
