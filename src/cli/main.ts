import { type Rules, rulesFrom } from "../core/redact/lazy-rules.ts";
import { keepOut } from "../core/redact/secrets.ts";
import { onStoreProblem } from "../store/problems.ts";
import { runProgram } from "./program.ts";
import { enterFolder } from "./support/enter-folder.ts";
import { processIo } from "./support/io.ts";

rulesFrom((): Rules => require("../core/redact/rules.ts"));
keepOut(process.env);
const problem = enterFolder(process.env);
const io = processIo();
onStoreProblem(({ text }) => io.err(`ccg: ${text}`));
if (problem) {
	io.err(`ccg: ${problem}`);
	io.exit(1);
} else void runProgram(process.argv.slice(2), io);
