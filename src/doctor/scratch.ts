import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder, quietly } from "../store/atomic-write.ts";

/**
 * A private folder for what the doctor plays: below the store, because nothing belongs into the system's temp folder, and there only
 * where the store can't be written. `remove` leaves everything as it was.
 */
export function makeScratch(root: string | null): { path: string; remove(): void } {
	if (root && existsSync(root)) {
		const run = join(root, "run");
		const madeRun = !existsSync(run);
		const path = join(run, `doctor-${process.pid}`);
		const remove = (): void => {
			rmSync(path, { recursive: true, force: true });
			if (madeRun) quietly(() => rmdirSync(run));
		};
		try {
			removeLeftovers(run);
			makeFolder(path);
			return { path, remove };
		} catch {
			quietly(remove);
		}
	}
	const path = mkdtempSync(join(tmpdir(), "ccg-doctor-"));
	return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A doctor that was killed could not clean up; its process id tells that it is gone. */
function removeLeftovers(run: string): void {
	if (!existsSync(run)) return;
	for (const name of readdirSync(run)) {
		const pid = Number(/^doctor-(\d+)$/.exec(name)?.[1]);
		if (pid && !isAlive(pid)) rmSync(join(run, name), { recursive: true, force: true });
	}
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as { code?: string }).code !== "ESRCH";
	}
}
