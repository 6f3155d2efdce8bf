/** The value a text holds as JSON; `undefined` where it is none. */
export function quietJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
