import type { Stats } from "node:fs";

/** Modes of an entry, as trees and the index write them. */
export const FILE = 0o100000;
export const LINK = 0o120000;
export const GITLINK = 0o160000;
export const FOLDER = 0o040000;
export const kindOf = (mode: number): number => mode & 0o170000;

/** What git last knew of a path. Its numbers are read when they are asked for: most entries are asked for few. */
export class IndexEntry {
	constructor(
		readonly path: string,
		/** 0, or the side of a conflict: 1 base, 2 ours, 3 theirs. */
		readonly stage: number,
		/** Git was told to believe that the file is as it was, or the sparse checkout leaves it out. */
		readonly unwatched: boolean,
		/** `git add --intent-to-add`: no content yet. */
		readonly intended: boolean,
		/** The name is text; another one can't be asked for. */
		readonly isNamed: boolean,
		/** Times as seconds and billionths, device, inode, mode, owner, group, size: ten numbers from `at` on. */
		private readonly numbers: Uint32Array,
		private readonly at: number,
		private readonly idBytes: Buffer,
	) {}

	get mode(): number {
		return this.numbers[this.at + 6]!;
	}
	/** In hexadecimal. */
	get id(): string {
		return this.idBytes.toString("hex");
	}
	/** The low 32 bits. */
	get size(): number {
		return this.numbers[this.at + 9]!;
	}
	/** When the content was changed, in milliseconds. */
	get mtimeMs(): number {
		return this.numbers[this.at + 2]! * 1000 + this.numbers[this.at + 3]! / 1_000_000;
	}
	/** Whether the file system tells the same of a file as it told when the entry was written. */
	isLike({ mtimeMs, ctimeMs, ino, uid, gid, size }: Stats): boolean {
		const { numbers, at } = this;
		return (
			numbers[at + 9] === size % 2 ** 32 &&
			isSameTime(numbers[at + 2]!, numbers[at + 3]!, mtimeMs) &&
			isSameTime(numbers[at]!, numbers[at + 1]!, ctimeMs) &&
			numbers[at + 5] === ino % 2 ** 32 &&
			numbers[at + 7] === uid &&
			numbers[at + 8] === gid
		);
	}
}

/** As times survive their way through a number of milliseconds; a git built without fractions of seconds writes none. */
function isSameTime(seconds: number, billionths: number, ms: number): boolean {
	if (Math.abs(seconds * 1000 + billionths / 1_000_000 - ms) < 0.002) return true;
	return billionths === 0 && seconds * 1000 === ms - (ms % 1000);
}

const STAT_BYTES = 40;

/** Numbers of 32 bits as this machine has them, of bytes that hold the highest first. */
function numbersIn(bytes: Buffer): Uint32Array {
	const copy = new Uint8Array(bytes.length & ~3);
	copy.set(bytes.subarray(0, copy.length));
	Buffer.from(copy.buffer).swap32();
	return new Uint32Array(copy.buffer);
}

/** What git remembers of whole folders: the tree a folder's entries make, `null` where they have changed since. */
export interface KnownTree {
	id: string | null;
	children: Map<string, KnownTree>;
}

export interface Index {
	entries: IndexEntry[];
	tree: KnownTree | null;
}

/**
 * The index file, versions 2 to 4. Throws with a few words on what it is when it is none, is damaged, or is of a form that needs
 * more than this file (a split index), and when there is no time left for it. `hashBytes` is 20, or 32 in
 * a repository of SHA-256.
 */
export function parseIndex(bytes: Buffer, hashBytes: number, isLate: () => boolean = () => false): Index {
	if (bytes.length < 12 + hashBytes || bytes.toString("latin1", 0, 4) !== "DIRC") throw new Error("no git index");
	const version = bytes.readUInt32BE(4);
	if (version < 2 || version > 4) throw new Error(`an index of version ${version}`);
	const count = bytes.readUInt32BE(8);
	const end = bytes.length - hashBytes;
	if (count * (STAT_BYTES + hashBytes + 2) > end) throw new Error("a damaged index");
	const entries: IndexEntry[] = new Array(count);
	// one text for all names: a part of it costs no copy
	const text = bytes.toString("latin1", 0, end);
	// entries lie at multiples of four, but for those of version 4
	const all = version === 4 ? null : numbersIn(bytes);
	let at = 12;
	let before = Buffer.alloc(0);
	for (let i = 0; i < count; i++) {
		if ((i & 0xfff) === 0xfff && isLate()) throw new Error(`an index of ${count} files`);
		const start = at;
		const id = bytes.subarray(at + STAT_BYTES, at + STAT_BYTES + hashBytes);
		at += STAT_BYTES + hashBytes;
		if (at + 4 > end) throw new Error("a damaged index");
		const flags = (bytes[at]! << 8) | bytes[at + 1]!;
		at += 2;
		const extended = flags & 0x4000 ? (bytes[at]! << 8) | bytes[at + 1]! : 0;
		if (flags & 0x4000) at += 2;
		let path: string;
		let isAscii = false;
		if (version === 4) {
			const [cut, from] = lengthAt(bytes, at, end);
			const kept = before.length - cut;
			const nul = bytes.indexOf(0, from);
			if (kept < 0 || nul < 0 || nul > end) throw new Error("a damaged index");
			before = Buffer.concat([before.subarray(0, kept), bytes.subarray(from, nul)]);
			path = before.toString("utf8");
			at = nul + 1;
		} else {
			const length = flags & 0xfff;
			const nul = length < 0xfff ? at + length : bytes.indexOf(0, at);
			if (nul < at || nul > end || bytes[nul] !== 0) throw new Error("a damaged index");
			path = text.slice(at, nul);
			isAscii = !/[\u0080-\u00ff]/.test(path);
			if (!isAscii) path = bytes.toString("utf8", at, nul);
			// padded with zeros to a multiple of eight, at least one
			at = start + ((nul - start + 8) & ~7);
		}
		// an entry that stands in the other half has no name
		if (path === "") throw new Error("a split index");
		if (LEADS_AWAY.test(path)) throw new Error("a damaged index");
		entries[i] = new IndexEntry(
			path,
			(flags >> 12) & 3,
			(flags & 0x8000) !== 0 || (extended & 0x4000) !== 0,
			(extended & 0x2000) !== 0,
			isAscii || !path.includes("\ufffd"),
			all ?? numbersIn(bytes.subarray(start, start + STAT_BYTES)),
			all ? start >> 2 : 0,
			id,
		);
	}
	return { entries, tree: readExtensions(bytes, at, end, hashBytes) };
}

/** Git makes none that leads out of the working tree or into `.git`; the path is joined to the folder. */
const LEADS_AWAY = /(?:^|\/)(?:\.{1,2}|\.git)(?:\/|$)|^\/|\/\//i;

/** Git's number of variable length, and where it ends. */
function lengthAt(bytes: Buffer, from: number, end: number): [length: number, next: number] {
	let at = from;
	let byte = bytes[at++]!;
	let value = byte & 0x7f;
	while (byte & 0x80) {
		if (at >= end || value > 0xffffff) throw new Error("a damaged index");
		byte = bytes[at++]!;
		value = (value + 1) * 128 + (byte & 0x7f);
	}
	return [value, at];
}

function readExtensions(bytes: Buffer, from: number, end: number, hashBytes: number): KnownTree | null {
	let tree: KnownTree | null = null;
	for (let at = from; at + 8 <= end; ) {
		const name = bytes.toString("latin1", at, at + 4);
		const size = bytes.readUInt32BE(at + 4);
		at += 8;
		if (at + size > end) throw new Error("a damaged index");
		if (name === "TREE") tree = readTree(bytes.subarray(at, at + size), hashBytes);
		else if (name === "link") throw new Error("a split index");
		// those in capitals may be passed over
		else if (!/^[A-Z]/.test(name) && name !== "sdir") throw new Error(`an index with "${name.replace(/\W/g, "?")}"`);
		at += size;
	}
	return tree;
}

const MAX_DEPTH = 200;

function readTree(bytes: Buffer, hashBytes: number): KnownTree | null {
	let at = 0;
	const node = (depth: number): [name: string, tree: KnownTree] | null => {
		const nul = bytes.indexOf(0, at);
		const line = nul < 0 ? -1 : bytes.indexOf(10, nul);
		if (line < 0 || depth > MAX_DEPTH) return null;
		const name = bytes.toString("utf8", at, nul);
		const [count, subtrees] = bytes
			.toString("latin1", nul + 1, line)
			.split(" ")
			.map(Number);
		if (!Number.isInteger(count) || !Number.isInteger(subtrees)) return null;
		at = line + 1;
		let id: string | null = null;
		if (count! >= 0) {
			id = bytes.toString("hex", at, at + hashBytes);
			at += hashBytes;
		}
		const children = new Map<string, KnownTree>();
		for (let i = 0; i < subtrees!; i++) {
			const child = node(depth + 1);
			if (!child) return null;
			children.set(...child);
		}
		return [name, { id, children }];
	};
	return node(0)?.[1] ?? null;
}
