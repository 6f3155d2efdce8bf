import DRAWS from "./draws.json";

/** Characters, and patterns of what a text of them has where it is long enough. */
const ALPHABETS: Record<string, string[]> = DRAWS.alphabets;
/** Parts one behind the other, each one of several: as people or programs make passwords. */
const FORMS: Record<string, string[][]> = DRAWS.forms;

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

	/** With each `{hex:32}`, `{from:ab:9}`, `{below:5}` and `{pw}` drawn. */
	filled(template: string): string {
		return template.replace(/\{(\w+)(?::([\w+/]+))?(?::(\d+))?\}/g, (whole, name: string, first: string, second) => {
			if (name === "from") return this.from(first, Number(second));
			if (name === "below") return String(this.below(Number(first)));
			if (name in ALPHABETS) return this.mixed(ALPHABETS[name]!, Number(first));
			const parts = FORMS[name];
			if (!parts) return whole;
			const drawn = parts.map((list) => this.filled(list[list.length > 1 ? this.below(list.length) : 0]!));
			return drawn.join("");
		});
	}

	private from(alphabet: string, length: number): string {
		return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join("");
	}

	private mixed([alphabet = "", ...has]: string[], length: number): string {
		for (;;) {
			const text = this.from(alphabet, length);
			if (length < has.length + 2 || has.every((one) => new RegExp(one).test(text))) return text;
		}
	}
}
