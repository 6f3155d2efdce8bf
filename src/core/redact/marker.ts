import { hasDigitsInside } from "./random-looking.ts";

/** What stands where a secret stood. */
export function marker(kind: string): string {
	return `[REDACTED:${kind}]`;
}

/**
 * One marker, perhaps with punctuation behind it. A value that only starts like one is a value like any other: nothing in
 * a text switches redaction off.
 */
export function isMarker(value: string): boolean {
	return value.startsWith("[REDACTED:") && /^\[REDACTED:[a-z-]{1,24}\][\])},.;:!?"'`\\]*$/.test(value);
}

/** Where the marker that begins at a place ends; `null` where none does. */
export function markerEnd(text: string, at: number): number | null {
	if (!text.startsWith("[REDACTED:", at)) return null;
	MARKER.lastIndex = at;
	return MARKER.test(text) ? MARKER.lastIndex : null;
}
const MARKER = /\[REDACTED:[a-z-]{1,24}\]/y;

/** A variable, template or placeholder in the place of a secret: it gives nothing away. */
export function isReference(value: string): boolean {
	return (
		(REFERENCE.test(value) && !isWrappedValue(value)) ||
		/^(.)\1*$/.test(value) ||
		PLACEHOLDER.test(value) ||
		isMasked(value)
	);
}

const REFERENCE =
	/^(?:\$[A-Za-z_]\w*(?:(?:[/:^[{]|->).*|-)?|\$\d|\$?\{\{?[^{}]*\}?\}?|\$\(.*|%\w+%|<[^<>]*>|#\{[^{}]*\}|\[[A-Za-z _-]+\]|@\w+@|![A-Za-z]+|!(?:Ref|Sub|GetAtt|ImportValue|env|vault)\b.*|ref\+.*|(?:vault|op|secretref|awssm|gcpsm):\/?\/?\S*|projects\/[\w-]+\/secrets\/.*|arn:aws:[\w:/-]+)$/;
const PLACEHOLDER =
	/^(?:(?:your|my|insert|enter|replace|put|add|paste|example|sample|dummy|fake|mock|placeholder|change|some|the|any|todo|fixme)[-_. ][a-z_. -]+|change-?_?(?:me|it|this)|(?:not-?_?)?(?:set|used|needed|available)|placeholder|example|redacted|masked|hidden|removed|omitted|none|null|nil|undefined|n\/a|tbd)[.!]*$/i;

/** What looks like a variable but has digits inside letters, as no variable's name has: `%hunter2x%`. */
const isWrappedValue = (value: string): boolean =>
	/^(?:\$\w+|\$?\{[^{}\s.]+\}|%\w+%)$/.test(value) && value.split("_").some(hasDigitsInside);

/** Mostly asterisks, dots or x: shown masked, or the shape of one in a manual. */
function isMasked(value: string): boolean {
	if (value.length > 200 || !/[*•x·X]{4}|\.\.\.|…/.test(value)) return false;
	const shown = value.replace(/[*•x·X.…]+/g, "");
	return shown.length <= Math.max(12, value.length / 3) && !/\d.*[a-zA-Z].*\d/.test(shown);
}
