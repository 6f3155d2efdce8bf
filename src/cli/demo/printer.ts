import type { Io } from "../support/io.ts";
import { wrapped } from "../support/layout/fit.ts";
import { asTyped } from "../support/own-name.ts";

export type Printer = ReturnType<typeof printer>;

/** How the inner steps are shown: numbered, with the time of each process. */
export function printer(io: Pick<Io, "colours" | "columns" | "env" | "launcher">, out: (line: string) => void) {
	const { colours: c, columns } = io;
	let steps = 0;
	const width = (columns ?? 120) - INDENT.length;
	const indented = (text: string): string =>
		text
			.split("\n")
			.flatMap((line) => wrapped(line, width))
			.join(`\n${INDENT}`);
	return {
		title: (text: string) => out(`\n${c.bold(wrapped(text, width + INDENT.length).join("\n"))}`),
		step: (text: string) => out(`\n${c.cyan(c.bold(`${++steps}.`))} ${c.bold(indented(text))}`),
		line: (ms: number, what: string, text: string) =>
			out(
				`${c.dim(`${ms.toFixed(0).padStart(6)} ms`)}  ${what ? `${c.yellow(asTyped(what, io))}\n${INDENT}` : ""}${indented(text)}`,
			),
		user: (text: string) => out(`     ${c.dim("user")}  ${c.italic(indented(text))}`),
		quote: (text: string) => out(`${INDENT}${c.dim(indented(text.trim()))}`),
		note: (text: string) => out(c.dim(`${INDENT}${indented(text)}`)),
	};
}

const INDENT = " ".repeat(11);
