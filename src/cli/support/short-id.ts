/** The beginning of an id, long enough to name one of these sessions only. */
export function shortId(sid: string, known: readonly string[]): string {
	let length = 8;
	while (length < sid.length && known.some((one) => one !== sid && one.startsWith(sid.slice(0, length)))) length++;
	return sid.slice(0, length);
}
