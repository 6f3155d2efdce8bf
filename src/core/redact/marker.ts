/** What stands where a secret stood. */
export function marker(kind: string): string {
	return `[REDACTED:${kind}]`;
}

/**
 * One marker, perhaps with punctuation behind it. A value that only starts like one is a value like any other: nothing in
 * a text switches redaction off.
 */
export function isMarker(value: string): boolean {
	return /^\[REDACTED:[a-z-]{1,24}\][\].,;:!?)]*$/.test(value);
}

/** A variable, template or placeholder in the place of a secret: it gives nothing away. */
export function isReference(value: string): boolean {
	return REFERENCE.test(value) || /^(.)\1*$/.test(value) || /^(?:your|my|insert|enter)[-_][a-z_-]+$/i.test(value);
}

const REFERENCE = /^(?:\$\w+(?:\/.*)?|\$?\{\{?[^{}]*\}?\}?|\$\(.*|%\w+%|<[^<>]*>)$/;
