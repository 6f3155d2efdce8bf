/**
 * What a zlib stream holds, up to `size` bytes: it stops there whatever the stream goes on to say, and passes over what stands
 * behind it. Throws on a stream that is damaged or cut short.
 */
export function inflate(input: Uint8Array, size: number): Buffer {
	if (input.length > NATIVE) return inflateBounded(input, size);
	const bytes = Bun.inflateSync(input as Uint8Array<ArrayBuffer>, { windowBits: 15 });
	return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(size, bytes.length));
}

/** The runtime's own function has no bound: 16 KB can hold 16 MB, which is bound enough. */
const NATIVE = 16 * 1024;

/**
 * The same, with a bound to what is held at any time. Written out here since the runtime's function has none, and the library that
 * has one takes 13 ms to load.
 */
export function inflateBounded(input: Uint8Array, size: number): Buffer {
	if (input.length < 2 || (input[0]! & 0x0f) !== 8 || ((input[0]! << 8) | input[1]!) % 31 !== 0)
		throw new Error("no zlib stream");
	const output = Buffer.allocUnsafe(size);
	let used = 0;
	let at = 2;
	let held = 0;
	let count = 0;
	const bits = (need: number): number => {
		while (count < need) {
			if (at >= input.length) throw new Error("a stream cut short");
			held |= input[at++]! << count;
			count += 8;
		}
		const value = held & ((1 << need) - 1);
		held >>>= need;
		count -= need;
		return value;
	};
	const symbol = ({ counts, symbols }: Code): number => {
		let code = 0;
		let first = 0;
		let index = 0;
		for (let length = 1; length <= 15; length++) {
			code |= bits(1);
			const here = counts[length]!;
			if (code - here < first) {
				const found = symbols[index + (code - first)];
				if (found === undefined) break;
				return found;
			}
			index += here;
			first = (first + here) << 1;
			code <<= 1;
		}
		throw new Error("a damaged stream");
	};
	for (let last = 0; !last; ) {
		last = bits(1);
		const type = bits(2);
		if (type === 0) {
			held = 0;
			count = 0;
			const length = input[at]! | (input[at + 1]! << 8);
			at += 4;
			if (!(at + length <= input.length)) throw new Error("a stream cut short");
			const take = Math.min(length, size - used);
			output.set(input.subarray(at, at + take), used);
			used += take;
			at += length;
		} else if (type === 3) throw new Error("a damaged stream");
		else {
			const [literals, distances] = type === 1 ? fixedCodes() : readCodes(bits, symbol);
			for (;;) {
				const value = symbol(literals);
				if (value === 256) break;
				if (used >= size) return output;
				if (value < 256) {
					output[used++] = value;
					continue;
				}
				if (value > 285) throw new Error("a damaged stream");
				const length = LENGTHS[value - 257]! + bits(LENGTH_BITS[value - 257]!);
				const far = symbol(distances);
				if (far > 29) throw new Error("a damaged stream");
				const distance = DISTANCES[far]! + bits(DISTANCE_BITS[far]!);
				if (distance > used) throw new Error("a damaged stream");
				const end = Math.min(size, used + length);
				for (; used < end; used++) output[used] = output[used - distance]!;
			}
		}
		if (used >= size) return output;
	}
	return output.subarray(0, used);
}

/** How many codes there are of each length, and the symbols in the order of their codes. */
interface Code {
	counts: Uint16Array;
	symbols: Uint16Array;
}

function codeOf(lengths: readonly number[]): Code {
	const counts = new Uint16Array(16);
	for (const length of lengths) counts[length]!++;
	const offsets = new Uint16Array(16);
	for (let i = 1; i < 15; i++) offsets[i + 1] = offsets[i]! + counts[i]!;
	const symbols = new Uint16Array(lengths.length);
	for (const [i, length] of lengths.entries()) if (length) symbols[offsets[length]!++] = i;
	counts[0] = 0;
	return { counts, symbols };
}

const LENGTHS = [
	3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCES = [
	1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
	8193, 12289, 16385, 24577,
];
const DISTANCE_BITS = [
	0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Made when a first stream asks for them: few do. */
const fixedCodes = (): [Code, Code] => {
	fixed ??= [
		codeOf(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))),
		codeOf(new Array(30).fill(5)),
	];
	return fixed;
};
let fixed: [Code, Code] | null = null;

function readCodes(bits: (need: number) => number, symbol: (code: Code) => number): [Code, Code] {
	const literals = bits(5) + 257;
	const distances = bits(5) + 1;
	const own: number[] = new Array(19).fill(0);
	for (let i = 0, count = bits(4) + 4; i < count; i++) own[ORDER[i]!] = bits(3);
	const code = codeOf(own);
	const lengths: number[] = [];
	while (lengths.length < literals + distances) {
		const value = symbol(code);
		if (value < 16) lengths.push(value);
		else if (value === 16) {
			if (lengths.length === 0) throw new Error("a damaged stream");
			lengths.push(...new Array(3 + bits(2)).fill(lengths.at(-1)));
		} else lengths.push(...new Array(value === 17 ? 3 + bits(3) : 11 + bits(7)).fill(0));
	}
	if (lengths.length > literals + distances) throw new Error("a damaged stream");
	return [codeOf(lengths.slice(0, literals)), codeOf(lengths.slice(literals))];
}
