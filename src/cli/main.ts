import { keepOut } from "../core/redact/secrets.ts";
import { onStoreProblem } from "../store/problems.ts";
import { processIo } from "./io.ts";
import { runProgram } from "./program.ts";

keepOut(process.env);
const io = processIo();
onStoreProblem(({ text }) => io.err(`ccg: ${text}`));
void runProgram(process.argv.slice(2), io);
