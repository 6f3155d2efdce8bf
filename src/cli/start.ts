import { keepOut } from "../core/redact/secrets.ts";
import { enterFolder } from "../install/enter-folder.ts";
import { runProgram } from "./program.ts";
import { processIo, type Register } from "./support/io.ts";

/** Runs this process as `ccg` with the commands that `register` declares. */
export function start(register: Register): void {
	keepOut(process.env);
	const problem = enterFolder(process.env);
	const io = processIo();
	if (problem) {
		io.err(`ccg: ${problem}`);
		io.exit(1);
	} else void runProgram(process.argv.slice(2), io, register);
}
