import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { readFileInside, statInside } from "../files/read-inside.ts";
import { codedError } from "../files/system-failure.ts";
import { flushToDisk, writeFileAtomic } from "../store/atomic-write.ts";
import { type Carrier, MACHINE_ID, MAX_DOCUMENT } from "./carrier.ts";

/** Below the folder that is shared. */
const OURS = "ccg-sync";

/**
 * Carries documents in a folder that something else brings from machine to machine: one file a machine, named as it. Only plain files of that
 * form are looked at, and no link is followed. Throws with code `EOFFLINE` where the folder is not there; `create` makes ours in it.
 */
export function folderCarrier(folder: string, { create = false } = {}): Carrier {
	const ours = join(folder, OURS);
	if (create && statSync(folder, { throwIfNoEntry: false })?.isDirectory()) mkdirSync(ours, { recursive: true });
	const refuseAbsent = (): void => {
		const why = `${ours} is not there, or no plain folder; is the drive mounted, and the folder synchronised already?`;
		if (!statInside(folder, OURS)?.isDirectory()) throw codedError("EOFFLINE", why);
	};
	refuseAbsent();
	const pathOf = (machine: string): string => `${OURS}/${machine}`;
	return {
		async list() {
			const machines = readdirSync(ours).filter((name) => MACHINE_ID.test(name));
			return machines.flatMap((machine) => {
				const stat = statInside(folder, pathOf(machine));
				return stat?.isFile() ? { machine, version: `${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino}` } : [];
			});
		},
		async get(machine) {
			return readFileInside(folder, pathOf(machine), { maxBytes: MAX_DOCUMENT + 1, part: "head" })?.bytes ?? null;
		},
		async put(machine, bytes) {
			refuseAbsent();
			const full = join(folder, pathOf(machine));
			if (bytes) writeFileAtomic(full, bytes, { durable: true, mode: 0o644 });
			else {
				rmSync(full, { force: true });
				flushToDisk(ours);
			}
		},
		async [Symbol.asyncDispose]() {},
	};
}
