/** A text as it comes up in a session, and what of it must not be kept. */
export interface SecretCase {
	/** What kind of secret in what kind of text. */
	kind: string;
	text: string;
	/** Each of these is gone when the text was redacted. */
	secrets: string[];
}

/** A text that only looks like one: it stays as it is. */
export interface LookAlike {
	kind: string;
	text: string;
}
