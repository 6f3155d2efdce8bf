import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { readInside, statInside } from "../files/read-inside.ts";
import { inflate } from "./inflate.ts";

/** Commits and trees are far smaller; a larger one is not read. */
const MAX_OBJECT = 4 * 1024 * 1024;
const MAX_PACKS = 200;
const MAX_DELTAS = 60;

export interface GitObject {
	type: "commit" | "tree" | "blob" | "tag";
	bytes: Buffer;
}

/** Gives an object by its id; `null` when it is not among the repository's own files, is too large or damaged. */
export interface Objects {
	read(id: string): GitObject | null;
	close(): void;
}

/**
 * The objects of a repository, from its own folder alone: nothing is fetched, no other repository is asked (`alternates`). To be
 * closed by whoever opened it.
 */
export function openObjects(commonDir: string): Objects {
	let packs: Pack[] | null = null;
	let depth = 0;
	const read = (id: string): GitObject | null => {
		// an object may be written as a change to another, and that one to the first
		if (depth > MAX_DELTAS) return null;
		depth++;
		try {
			return looseObject(commonDir, id) ?? packed(id);
		} catch {
			return null;
		} finally {
			depth--;
		}
	};
	const packed = (id: string): GitObject | null => {
		packs ??= openPacks(commonDir, id.length / 2);
		for (const pack of packs) {
			const offset = offsetOf(pack, id);
			if (offset !== null) return objectAt(pack, offset, read);
		}
		return null;
	};
	return {
		read,
		close() {
			for (const { index, data } of packs ?? []) for (const fd of [index, data]) closeSync(fd);
			packs = [];
		},
	};
}

function looseObject(commonDir: string, id: string): GitObject | null {
	const path = `objects/${id.slice(0, 2)}/${id.slice(2)}`;
	if (!statInside(commonDir, path)) return null;
	const input = readInside(commonDir, path, { maxBytes: MAX_OBJECT });
	if (!input) return null;
	const start = inflate(input, 32);
	const nul = start.indexOf(0);
	const [, type, digits] =
		/^(commit|tree|blob|tag) (\d{1,8})$/.exec(start.toString("latin1", 0, Math.max(0, nul))) ?? [];
	if (!type || Number(digits) > MAX_OBJECT) return null;
	const bytes = inflate(input, nul + 1 + Number(digits)).subarray(nul + 1);
	return bytes.length === Number(digits) ? { type: type as GitObject["type"], bytes } : null;
}

interface Pack {
	index: number;
	data: number;
	dataSize: number;
	hashBytes: number;
	count: number;
}

function openPacks(commonDir: string, hashBytes: number): Pack[] {
	const folder = join(commonDir, "objects", "pack");
	if (!statInside(commonDir, "objects/pack")?.isDirectory()) return [];
	const packs: Pack[] = [];
	for (const name of readdirSync(folder)) {
		if (!/^pack-[0-9a-f]+\.idx$/.test(name) || packs.length === MAX_PACKS) continue;
		const index = openFile(join(folder, name));
		const data = index === null ? null : openFile(join(folder, name.replace(/idx$/, "pack")));
		if (index === null) continue;
		if (data === null || bytesAt(index, 0, 8).toString("hex") !== "ff744f6300000002") {
			closeSync(index);
			if (data !== null) closeSync(data);
			continue;
		}
		const count = bytesAt(index, 8 + 255 * 4, 4).readUInt32BE(0);
		packs.push({ index, data, dataSize: fstatSync(data).size, hashBytes, count });
	}
	return packs;
}

function openFile(path: string): number | null {
	let fd: number;
	try {
		fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch {
		return null;
	}
	if (fstatSync(fd).isFile()) return fd;
	closeSync(fd);
	return null;
}

/** Where in the pack an object begins: a search in the sorted ids. */
function offsetOf({ index, hashBytes, count }: Pack, id: string): number | null {
	const wanted = Buffer.from(id, "hex");
	const fanout = bytesAt(index, 8, 256 * 4);
	let low = wanted[0] === 0 ? 0 : fanout.readUInt32BE((wanted[0]! - 1) * 4);
	let high = fanout.readUInt32BE(wanted[0]! * 4);
	const ids = 8 + 256 * 4;
	while (low < high) {
		const middle = (low + high) >>> 1;
		const order = Buffer.compare(wanted, bytesAt(index, ids + middle * hashBytes, hashBytes));
		if (order === 0) {
			const offsets = ids + count * (hashBytes + 4);
			const offset = bytesAt(index, offsets + middle * 4, 4).readUInt32BE(0);
			if ((offset & 0x80000000) === 0) return offset;
			return Number(bytesAt(index, offsets + count * 4 + (offset & 0x7fffffff) * 8, 8).readBigUInt64BE(0));
		}
		if (order < 0) high = middle;
		else low = middle + 1;
	}
	return null;
}

const TYPES: Record<number, GitObject["type"]> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };

function objectAt(pack: Pack, from: number, read: (id: string) => GitObject | null): GitObject | null {
	const deltas: Buffer[] = [];
	let held = 0;
	for (let offset = from; deltas.length <= MAX_DELTAS; ) {
		const head = bytesAt(pack.data, offset, 64, pack.dataSize);
		let at = 0;
		let byte = head[at++]!;
		const kind = (byte >> 4) & 7;
		let size = byte & 15;
		for (let factor = 16; byte & 0x80; factor *= 128) {
			byte = head[at++]!;
			size += (byte & 0x7f) * factor;
			if (factor > 2 ** 40) return null;
		}
		if (size > MAX_OBJECT) return null;
		let base: number | string | null = null;
		if (kind === 6) {
			byte = head[at++]!;
			let back = byte & 0x7f;
			while (byte & 0x80) {
				byte = head[at++]!;
				back = (back + 1) * 128 + (byte & 0x7f);
				if (back > offset) return null;
			}
			if (back === 0) return null;
			base = offset - back;
		} else if (kind === 7) {
			base = head.toString("hex", at, at + pack.hashBytes);
			at += pack.hashBytes;
		}
		// deflate makes a thing longer by five bytes in 16 KB at the most
		const input = bytesAt(pack.data, offset + at, size + (size >> 10) + 128, pack.dataSize);
		const bytes = inflate(input, size);
		held += size;
		if (bytes.length < size || held > 2 * MAX_OBJECT) return null;
		if (base === null) return TYPES[kind] ? { type: TYPES[kind], bytes: patched(bytes, deltas) } : null;
		deltas.push(bytes);
		if (typeof base === "number") offset = base;
		else {
			const found = read(base);
			return found && { type: found.type, bytes: patched(found.bytes, deltas) };
		}
	}
	return null;
}

/** The deltas on top of what they change, the last one found being the lowest. */
function patched(base: Buffer, deltas: readonly Buffer[]): Buffer {
	return deltas.reduceRight(applyDelta, base);
}

function applyDelta(base: Buffer, delta: Buffer): Buffer {
	let at = 0;
	const length = (): number => {
		let value = 0;
		for (let factor = 1; factor < 2 ** 35; factor *= 128) {
			const byte = delta[at++]!;
			value += (byte & 0x7f) * factor;
			if (!(byte & 0x80)) break;
		}
		return value;
	};
	if (length() !== base.length) throw new Error("a damaged delta");
	const size = length();
	if (size > MAX_OBJECT) throw new Error("an object too large");
	const result = Buffer.allocUnsafe(size);
	let used = 0;
	while (at < delta.length) {
		const op = delta[at++]!;
		let from = 0;
		let count = op;
		if (op & 0x80) {
			count = 0;
			for (let i = 0; i < 4; i++) if (op & (1 << i)) from += delta[at++]! * 256 ** i;
			for (let i = 0; i < 3; i++) if (op & (16 << i)) count += delta[at++]! * 256 ** i;
			count ||= 0x10000;
			if (from + count > base.length) throw new Error("a damaged delta");
			base.copy(result, used, from, from + count);
		} else if (op > 0) {
			delta.copy(result, used, at, at + op);
			at += op;
		} else throw new Error("a damaged delta");
		used += count;
		if (used > size) throw new Error("a damaged delta");
	}
	if (used !== size) throw new Error("a damaged delta");
	return result;
}

/** That many bytes, fewer only where the file ends before `end`. */
function bytesAt(fd: number, position: number, count: number, end = Number.POSITIVE_INFINITY): Buffer {
	const buffer = Buffer.alloc(Math.max(0, Math.min(count, end - position)));
	const read = readSync(fd, buffer, 0, buffer.length, position);
	if (read < buffer.length) throw new Error("a file cut short");
	return buffer;
}
