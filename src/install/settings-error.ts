export type SettingsErrorCode =
	/** Not strict JSON, or another shape than Claude Code reads. */
	| "SETTINGS_INVALID"
	/** A project's file that is a link out of the project. */
	| "SETTINGS_LINK"
	/** A project's file that a repository shares. */
	| "SETTINGS_SHARED"
	/** The file or its folder may not be written. */
	| "SETTINGS_READONLY"
	/** The backup can't be kept. */
	| "STORE_READONLY"
	/** Receipt or backup are there and can't be read. */
	| "STORE_UNREADABLE"
	/** Somebody else kept rewriting the file. */
	| "SETTINGS_BUSY"
	/** No folder to work in: neither `HOME` nor the variable that replaces it. */
	| "NO_HOME";

/** An error recognised by `code`; the message says what failed, on which path and what to do. */
export function settingsError(code: SettingsErrorCode, message: string, cause?: unknown): Error & { code: string } {
	return Object.assign(new Error(message, { cause }), { code });
}
