import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { namesIn } from "../files/names-in.ts";
import { quietLstat } from "../files/quietly.ts";
import { errorCode } from "../files/system-failure.ts";
import { endAll } from "./run-process.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Gives `act` a folder of its own, which is gone afterwards. So it is when a signal asks the process to end: what it runs is ended, then
 * the process by that signal, as if nobody had listened. What a killed process has left goes an hour later, with the next one.
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
		removeLeft(name);
		folder = realpathSync(mkdtempSync(join(tmpdir(), `${name}-${process.pid}-`)));
		return await act(folder);
	} finally {
		close();
	}
}

/** Removes what processes of this user have left: those of another container seem dead from here, but no run takes an hour. */
function removeLeft(name: string): void {
	for (const found of namesIn(tmpdir())) {
		const [, of, pid] = /^([\w-]+)-(\d+)-\w{6}$/.exec(found) ?? [];
		const path = join(tmpdir(), found);
		const stat = quietLstat(path);
		const isLeft = stat?.uid === process.getuid?.() && Date.now() - (stat?.mtimeMs ?? 0) > 3_600_000;
		if (of === name && isLeft && isDead(Number(pid))) rmSync(path, { recursive: true, force: true });
	}
}

function isDead(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return false;
	} catch (error) {
		return errorCode(error) === "ESRCH";
	}
}
