/** Draws that are the same in every run: nothing in the corpus is a live secret, and nothing in it stands in the source as a whole. */
export class Draw {
	private state: number;

	constructor(seed: number) {
		this.state = seed >>> 0;
	}

	/** 0 to n - 1. */
	below(n: number): number {
		this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
		return Math.floor((this.state / 4294967296) * n);
	}

	from(alphabet: string, length: number): string {
		return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join("");
	}

	one<T>(list: readonly T[]): T {
		return list[this.below(list.length)]!;
	}

	/** By the name of a draw below, `undefined` for any other. */
	by(name: string, length: number): string | undefined {
		const draws = this as unknown as Record<string, unknown>;
		return NAMES.has(name) ? String((draws[name] as (length: number) => unknown).call(this, length)) : undefined;
	}

	hex = (length: number): string => this.from("0123456789abcdef", length);
	upper = (length: number): string => this.mixed("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", length, /\d/);
	/** Hugging Face's tokens have no digit. */
	letters = (length: number): string => this.mixed(LETTERS.replace(/\d/g, ""), length, /[a-z]/, /[A-Z]/);
	base62 = (length: number): string => this.mixed(LETTERS, length, /\d/, /[a-z]/, /[A-Z]/);
	base64 = (length: number): string => this.mixed(`${LETTERS}+/`, length, /\d/, /[a-z]/, /[A-Z]/);
	url64 = (length: number): string => this.mixed(`${LETTERS}_-`, length, /\d/, /[a-z]/, /[A-Z]/, /^[^-_].*[^-_]$/s);
	digits = (length: number): string => this.from("123456789", length);
	base32 = (length: number): string => this.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length);
	lower36 = (length: number): string => this.mixed("abcdefghijklmnopqrstuvwxyz0123456789", length, /\d/, /[a-z]/);
	uuid = (): string => [8, 4, 4, 4, 12].map((n) => this.hex(n)).join("-");
	/** As people make them: a word, a sign, a number. */
	password = (): string => {
		const word = this.one("Winter Kestrel Bluebird Falcon Tangerine Harbour Monsoon Quartz".split(" "));
		return word + this.one([..."!#@%_-."]) + this.digits(4) + this.one(["x", "K", "qz", "Wd"]);
	};
	/** As people or programs make them. */
	pw = (): string =>
		this.one([
			this.password,
			this.leet,
			() => `${this.base62(6)}!${this.base62(5)}`,
			() => this.base62(14),
			() => this.base62(9) + this.one([..."$?&+"]),
			() =>
				[this.one(["river", "stone", "amber", "cobalt"]), this.one(["lamp", "kite", "drum"]), this.digits(3)].join("-"),
		])();
	/** A word with digits in place of letters. */
	leet = (): string =>
		this.one(["tr0ub", "dr4g", "m0nk", "s3cur", "p1rat"]) +
		this.one(["4dor", "0n", "3y", "3st", "3s"]) +
		this.digits(2);

	private mixed(alphabet: string, length: number, ...has: RegExp[]): string {
		for (;;) {
			const text = this.from(alphabet, length);
			if (length < has.length + 2 || has.every((one) => one.test(text))) return text;
		}
	}
}

const NAMES = new Set(
	"below hex upper letters base62 base64 url64 digits base32 lower36 uuid password leet pw".split(" "),
);
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
