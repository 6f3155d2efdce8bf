/** What the file system's codes say in words. */
const REASONS: Record<string, string> = {
	ENOENT: "there is no such file",
	EACCES: "permission denied",
	EPERM: "not permitted",
	EROFS: "the file system is read-only",
	ENOSPC: "the disk is full",
	EDQUOT: "the disk quota is used up",
	ENOTDIR: "a part of the path is no folder",
	EEXIST: "a file stands where a folder must be",
	EISDIR: "it is a folder",
	ELOOP: "it is a symbolic link, or links lead in a circle",
};

/**
 * A failure of the file system under a command, as a message of three parts: what failed, on which path, what to do. What
 * is no such failure already speaks for itself and is given back as it is. `place` stands in where the system names no path.
 */
export function storeFailure(what: string, error: unknown, place: string): unknown {
	const reason = systemReason(error);
	if (reason === null) return error;
	const message = `${what}: ${systemPath(error) ?? place} can't be written (${reason}); make it writable for you, or set CCG_HOME to a folder that is`;
	return new Error(message, { cause: error });
}

/** Why a call to the system failed, without its name, its path and the temp file's; `null` for an error of another kind. */
export function systemReason(error: unknown): string | null {
	const { code, syscall } = error as { code?: string; syscall?: string };
	if (!(error instanceof Error) || !code || !syscall) return null;
	return REASONS[code] ?? code;
}

/** The path a call failed on: for the temp file of an atomic write the file that was to be written. */
function systemPath(error: unknown): string | null {
	const { path } = error as { path?: unknown };
	return typeof path === "string" ? path.replace(/\.([^/]+)\.\d+\.[a-z0-9]+\.tmp$/, "$1") : null;
}
