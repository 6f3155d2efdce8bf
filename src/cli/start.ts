import { keepOut } from "../core/redact/secrets.ts";
import { onStoreProblem } from "../store/problems.ts";
import { runProgram } from "./program.ts";
import { enterFolder } from "./support/enter-folder.ts";
import { processIo, type Register } from "./support/io.ts";

/** Runs this process as `ccg` with the commands that `register` declares. */
export function start(register: Register): void {
	keepOut(process.env);
	const problem = enterFolder(process.env);
	const io = processIo();
	onStoreProblem(({ text }) => io.err(`ccg: ${text}`));
	if (problem) {
		io.err(`ccg: ${problem}`);
		io.exit(1);
	} else void runProgram(process.argv.slice(2), io, register);
}
