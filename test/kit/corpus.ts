import { readFileSync } from "node:fs";

/** The cases of a text file by their section: `== name` begins one, a line is a case, `\n` and `\t` in it stand for the signs. */
export function corpus(path: string): Record<string, string[]> {
	const sections: Record<string, string[]> = {};
	let cases: string[] = [];
	for (const line of readFileSync(path, "utf8").split("\n")) {
		if (line.startsWith("== ")) cases = sections[line.slice(3)] = [];
		else if (line) cases.push(line.replace(/\\([nt\\])/g, (_, sign) => ({ n: "\n", t: "\t" })[sign as string] ?? sign));
	}
	return sections;
}

/** The text of a case, in which `{TEXT*N}` stands for N times the text. */
export const written = (text: string): string =>
	text.replace(/\{([^{}]*)\*(\d+)\}/g, (_, unit: string, times) => unit.repeat(Number(times)));
