/** What the file system's codes say in words. */
const REASONS: Record<string, string> = {
	ENOENT: "there is no such file",
	EACCES: "permission denied",
	EPERM: "not permitted",
	EROFS: "the file system is read-only; mount it for writing",
	ENOSPC: "the disk is full; make room on it",
	EDQUOT: "the disk quota is used up; make room in it",
	EFBIG: "the file would be larger than allowed",
	EIO: "the device failed",
	EBADF: "it is closed",
	ENOTDIR: "a part of the path is no folder",
	EEXIST: "a file stands where a folder must be",
	EISDIR: "it is a folder",
	ELOOP: "it is a symbolic link, or links lead in a circle",
};

/** The `code` of whatever was thrown, or "". */
export function errorCode(error: unknown): string {
	const code = (error as { code?: unknown } | null)?.code;
	return typeof code === "string" ? code : "";
}

/** An error that is recognised by `code`; the message says what failed, on which path and what to do. */
export const codedError = (code: string, message: string, cause?: unknown): Error & { code: string } =>
	Object.assign(new Error(message, { cause }), { code });

/** Why a system call failed, in words without the path; `null` for an error of another kind. */
export function systemReason(error: unknown): string | null {
	if (!(error instanceof Error) || !(error as { syscall?: string }).syscall) return null;
	return describeErrorCode(errorCode(error)) || null;
}

/** A system error's code in words; an unknown code stays as it is. */
export const describeErrorCode = (code: string): string => REASONS[code] ?? code;

/** Why something failed: the reason in words for a system call, else the error's message. */
export const errorText = (error: unknown): string =>
	systemReason(error) ?? (error instanceof Error ? error.message : String(error));

/** Why something failed, with the path where it was a system call. */
export function failureText(error: unknown): string {
	const [reason, path] = [systemReason(error), failedPath(error)];
	return reason === null || path === null ? errorText(error) : `${path} can't be read or written: ${reason}`;
}

/** The path that a system call failed on; for the temp file of an atomic write, the file that was to be written. */
export function failedPath(error: unknown): string | null {
	const { path } = error as { path?: unknown };
	return typeof path === "string" ? path.replace(/\.([^/]+)\.\d+\.[a-z0-9]+\.tmp$/, "$1") : null;
}
