/** Answers a question with a line of text. */
export type AskText = (question: string) => Promise<string>;

/** Answers a yes-or-no question. */
export type Ask = (question: string) => Promise<boolean>;

/** Asks a yes-or-no question on the terminal; anything but yes is no. */
export async function askOnTerminal(question: string): Promise<boolean> {
	return /^\s*y(es)?\s*$/i.test(await askTextOnTerminal(question));
}

export async function askTextOnTerminal(question: string): Promise<string> {
	const { createInterface } = await import("node:readline/promises");
	const terminal = createInterface({ input: process.stdin, output: process.stdout });
	try {
		return await terminal.question(question);
	} finally {
		terminal.close();
	}
}
