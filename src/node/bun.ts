import { order } from "./semver.ts";
import { spawn, spawnSync } from "./spawn.ts";

type Text = typeof import("./text-width.ts");
type Zlib = typeof import("node:zlib");

/** Loaded when one is called: a start pays for each. */
const text = (): Text => require("./text-width.ts");
const zlib = (): Zlib => require("node:zlib");

/** What ccg uses of Bun's global, on Node; `main` is the bundle that runs. A test holds each against Bun's own. */
export const bun = (main: string) => ({
	main,
	spawn,
	spawnSync,
	sleep: (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms)),
	sleepSync: (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
	semver: { order },
	CryptoHasher,
	/** `windowBits` 15 is zlib's own form; Bun takes bytes without it for a raw stream. */
	inflateSync: (bytes: Uint8Array, { windowBits = -15 } = {}): Uint8Array =>
		windowBits > 0 ? zlib().inflateSync(bytes) : zlib().inflateRawSync(bytes),
	deflateSync: (bytes: Uint8Array, { level = 6 } = {}): Uint8Array => zlib().deflateRawSync(bytes, { level }),
	stringWidth: (line: string): number => (PLAIN.test(line) ? line.length : text().stringWidth(line)),
	wrapAnsi: ((...args) => text().wrapAnsi(...args)) as Text["wrapAnsi"],
	sliceAnsi: ((...args) => text().sliceAnsi(...args)) as Text["sliceAnsi"],
});

/** One column each. */
const PLAIN = /^[ -~]*$/;

class CryptoHasher {
	#hash;

	constructor(algorithm: string) {
		this.#hash = (require("node:crypto") as typeof import("node:crypto")).createHash(algorithm);
	}

	update(data: string | Uint8Array): this {
		this.#hash.update(data);
		return this;
	}

	digest(encoding: "hex"): string {
		return this.#hash.digest(encoding);
	}
}
