import { createInterface } from "node:readline/promises";

/** Answers a question with a line of text. */
export type AskText = (question: string) => Promise<string>;

/** Asks a yes-or-no question on the terminal; anything but yes is no. */
export async function askOnTerminal(question: string): Promise<boolean> {
	return /^\s*y(es)?\s*$/i.test(await askTextOnTerminal(question));
}

export async function askTextOnTerminal(question: string): Promise<string> {
	const terminal = createInterface({ input: process.stdin, output: process.stdout });
	try {
		return await terminal.question(question);
	} finally {
		terminal.close();
	}
}
