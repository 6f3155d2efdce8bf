/**
 * What a terminal would obey or hide instead of showing: controls but tab and line feed, C1, bidirectional and zero-width marks,
 * tags, line and paragraph separators.
 */
const OBEYED =
	/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|\u034f|\udb40[\udc00-\udfff]/g;

/** The text with all that as `\\uXXXX`, to be seen. Of JSON the result is the same JSON: there these stand in strings only. */
export const shown = (text: string): string => text.replace(OBEYED, escaped);

/** The same without them, where there is no room. */
export const plainly = (text: string): string => text.replace(OBEYED, "");

const escaped = (units: string): string =>
	units
		.split("")
		.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
		.join("");
