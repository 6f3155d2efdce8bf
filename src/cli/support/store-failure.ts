import { systemPath, systemReason } from "../../files/system-failure.ts";

/**
 * A failure of the file system under a command, as a message of three parts: what failed, on which path, what to do. What
 * is no such failure already speaks for itself and is returned as it is. `place` stands in where the system names no path.
 */
export function storeFailure(what: string, error: unknown, place: string): unknown {
	const reason = systemReason(error);
	if (reason === null) return error;
	const message = `${what}: ${systemPath(error) ?? place} can't be written (${reason}); make it writable for you, or set CCG_HOME to a folder that is`;
	return new Error(message, { cause: error });
}
