import { logFailure } from "../store/failure-log.ts";
import { storeRoot } from "../store/paths.ts";
import { statusLine } from "./status-line.ts";

/** Runs the status line once: always prints a line, always ends 0. `--wrap COMMAND` names the user's own. */
export async function runStatusLine(readStdin: () => Uint8Array, args: readonly string[]): Promise<void> {
	const wrapped = args[0] === "--wrap" ? (args[1] ?? null) : null;
	process.stdout.on("error", () => {});
	try {
		process.stdout.write(`${await statusLine(readStdin(), process.env, wrapped)}\n`);
	} catch (error) {
		logFailure(storeRoot(process.env), "statusline", error);
		process.stdout.write("ccg\n");
	}
	process.exit(0);
}
