/** Answers a question with a line of text. */
export type AskText = (question: string) => Promise<string>;

/** Answers a yes-or-no question. */
export type Ask = (question: string) => Promise<boolean>;

/** Asks a yes-or-no question on the terminal, three times at most; no answer is no. */
export async function askOnTerminal(question: string, ask: AskText = askTextOnTerminal): Promise<boolean> {
	for (let asked = 0; asked < 3; asked++) {
		const [, yes] = /^(?:(y(?:es)?)|no?|)$/i.exec((await ask(question)).trim()) ?? [null];
		if (yes !== null) return yes !== undefined;
	}
	return false;
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
