import { keepOut } from "../../core/redact/secrets.ts";
import { logFailure } from "../../store/failure-log.ts";
import { storeOutside } from "../../store/project-store.ts";
import { printLine } from "../run/print.ts";
import { statusLine } from "./status-line.ts";

/** Runs the status line once: always prints a line, always ends 0. `--wrap COMMAND` names the user's own. */
export async function runStatusLine(readStdin: () => Uint8Array, args: readonly string[]): Promise<void> {
	keepOut(process.env);
	const { CLAUDE_PROJECT_DIR, CCG_CWD } = process.env;
	const wrapped = args[0] === "--wrap" ? (args[1] ?? null) : null;
	try {
		printLine(await statusLine(readStdin(), process.env, wrapped));
	} catch (error) {
		logFailure(storeOutside(process.env, [CLAUDE_PROJECT_DIR, CCG_CWD]), "statusline", error);
		printLine("ccg");
	}
	process.exit(0);
}
