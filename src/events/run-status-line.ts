import { logFailure } from "../store/failure-log.ts";
import { storeRoot } from "../store/paths.ts";
import { print } from "./print.ts";
import { statusLine } from "./status-line.ts";

/** Runs the status line once: always prints a line, always ends 0. `--wrap COMMAND` names the user's own. */
export async function runStatusLine(readStdin: () => Uint8Array, args: readonly string[]): Promise<void> {
	const wrapped = args[0] === "--wrap" ? (args[1] ?? null) : null;
	try {
		print(await statusLine(readStdin(), process.env, wrapped));
	} catch (error) {
		logFailure(storeRoot(process.env), "statusline", error);
		print("ccg");
	}
	process.exit(0);
}
