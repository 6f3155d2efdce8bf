import {
	closeSync,
	constants,
	existsSync,
	fstatSync,
	fsyncSync,
	mkdirSync,
	openSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { namesIn } from "../files/names-in.ts";
import { quietly } from "../files/quietly.ts";
import { openInside, statInside } from "../files/read-inside.ts";
import { coded } from "../files/system-failure.ts";
import { syncFolder, writeFileAtomic } from "../store/atomic-write.ts";
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
 * A folder that something else brings from machine to machine. Each machine appends to files of its own, so nothing below ever has two
 * writers; a line that does not end is not there yet. What others wrote is read inside the folder only, and no link is followed.
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
	const segments = (machine: string): Segment[] =>
		namesIn(join(root, machine))
			.flatMap((name) => NAME.exec(name)?.[1] ?? [])
			.sort()
			.map((digits) => ({ first: Number(digits), path: `${own}/${machine}/${digits}.log` }));
	const linesOf = ({ path }: Segment): string[] => {
		const text = openInside(folder, path, { maxBytes: MAX_SEGMENT })?.bytes.toString("utf8") ?? "";
		return text.split("\n").slice(0, -1);
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
				const all = segments(machine);
				const last = all.at(-1);
				const to = last ? last.first + linesOf(last).length - 1 : 0;
				if (last && to >= all[0]!.first) found.set(machine, { from: all[0]!.first, to });
			}
			return found;
		},
		async read(machine, seq, bytes = READ_BYTES) {
			if (!MACHINE.test(machine)) return [];
			const all = segments(machine);
			const begin = Math.max(
				0,
				all.findLastIndex(({ first }) => first <= seq),
			);
			const given: Carried[] = [];
			let left = bytes;
			for (const segment of all.slice(begin)) {
				for (const [i, line] of linesOf(segment).entries()) {
					const one = carriedIn(line, segment.first + i);
					if (!one || one.seq < seq) continue;
					if (one.seq !== seq + given.length) return given;
					left -= one.bytes.length;
					if (given.length > 0 && left < 0) return given;
					given.push(one);
				}
			}
			return given;
		},
		async append(machine, batches) {
			refuseAbsent();
			mkdirSync(join(root, machine), { recursive: true });
			let last = segments(machine).at(-1);
			let next = last ? last.first + linesOf(last).length : batches[0]?.seq;
			for (const one of batches) {
				if (next === undefined || one.seq < next) continue;
				if (one.seq > next) throw new Error(`batch ${one.seq} does not follow on ${next - 1}`);
				if (!last || !canGrow(join(folder, last.path)))
					last = { first: one.seq, path: `${own}/${machine}/${String(one.seq).padStart(10, "0")}.log` };
				const line = Buffer.concat([Buffer.from(`${one.project ?? "-"} `), one.bytes, Buffer.from("\n")]);
				appendLine(join(folder, last.path), line);
				next++;
			}
			syncFolder(join(root, machine));
		},
		async forget(machine, seq) {
			const all = segments(machine);
			const last = all.at(-1);
			const end = last && last.first + linesOf(last).length;
			// one that holds later ones too stays whole; the last says up to where there were some
			for (const [i, { path }] of all.entries())
				if ((all[i + 1]?.first ?? end! + 1) <= seq + 1) rmSync(join(folder, path), { force: true });
		},
		async get(name) {
			refuseAbsent();
			return openInside(folder, documentPath(name), { maxBytes: MAX_DOCUMENT })?.bytes ?? null;
		},
		async put(name, bytes) {
			const path = join(folder, documentPath(name));
			mkdirSync(dirname(path), { recursive: true });
			writeFileAtomic(path, bytes, { durable: true, mode: 0o644 });
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
		async pull() {},
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

/** Whether another line may go into a segment: it is not full, and its last line ends. After a kill the next one begins a new segment. */
function canGrow(path: string): boolean {
	const [size, end] = quietly(() => endOf(path)) ?? [0, "\n"];
	return size < SEGMENT && end === "\n";
}

function endOf(path: string): [size: number, end: string] {
	const size = existsSync(path) ? statSync(path).size : 0;
	if (size === 0) return [0, "\n"];
	const found = openInside(dirname(path), path.slice(dirname(path).length + 1), { maxBytes: 1, part: "tail" });
	return [size, found?.bytes.toString("latin1") ?? ""];
}

const APPEND =
	constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function appendLine(path: string, line: Uint8Array): void {
	const fd = openSync(path, APPEND, 0o644);
	try {
		const stat = fstatSync(fd);
		if (!stat.isFile() || stat.nlink > 1) throw new Error(`${path} is no regular file of its own; move it away`);
		writeFileSync(fd, line);
		fsyncSync(fd);
	} finally {
		closeSync(fd);
	}
}
