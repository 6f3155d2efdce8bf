import { createInterface } from "node:readline/promises";

/** Asks a yes-or-no question on the terminal; anything but yes is no. */
export async function askOnTerminal(question: string): Promise<boolean> {
	const terminal = createInterface({ input: process.stdin, output: process.stdout });
	try {
		return /^\s*y(es)?\s*$/i.test(await terminal.question(question));
	} finally {
		terminal.close();
	}
}
