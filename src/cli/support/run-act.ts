import type { Io } from "./io.ts";

/** A command was called in a way it does not know: exit code 2. */
export class WrongUse extends Error {}

/** Runs what a command does: a failure is one line and exit code 1 (2 for wrong use), and so is an answer that did not arrive. */
export async function runAct(io: Io, act: () => unknown): Promise<void> {
	try {
		await act();
	} catch (error) {
		io.err(`ccg: ${error instanceof Error ? error.message : String(error)}`);
		io.exit(error instanceof WrongUse ? 2 : 1);
	}
	// an answer that did not arrive is no success, whatever the command thinks of it
	const lost = io.lost?.();
	if (!lost) return;
	io.err(`ccg: the answer could not be written to standard output: ${lost}`);
	io.exit(1);
}
