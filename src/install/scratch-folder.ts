import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAll } from "./run-process.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Gives `act` a folder of its own, which is gone afterwards. So it is when a signal asks the process to end: what it runs is ended, then
 * the process by that signal, as if nobody had listened. What a killed process has left is in the system's folder for that.
 */
export async function inScratchFolder<T>(name: string, act: (folder: string) => Promise<T>): Promise<T> {
	let folder = "";
	const close = (): void => {
		if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
		for (const signal of SIGNALS) process.off(signal, end);
	};
	const end = (signal: NodeJS.Signals): void => {
		endAll();
		close();
		process.kill(process.pid, signal);
	};
	// before there is anything to leave behind
	for (const signal of SIGNALS) process.on(signal, end);
	try {
		folder = realpathSync(mkdtempSync(join(tmpdir(), `${name}-${process.pid}-`)));
		return await act(folder);
	} finally {
		close();
	}
}
