import { onStoreProblem } from "../store/problems.ts";
import { processIo } from "./io.ts";
import { runProgram } from "./program.ts";

const io = processIo();
onStoreProblem(({ text }) => io.err(`ccg: ${text}`));
void runProgram(process.argv.slice(2), io);
