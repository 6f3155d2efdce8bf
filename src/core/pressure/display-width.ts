/** How many columns a terminal needs for a text without colours: 2 for CJK and emoji, 0 for what combines. */
export const displayWidth = (text: string): number => Bun.stringWidth(text);

/** The text in at most `columns` columns; what was cut ends in "…". No character is halved. */
export function cutToWidth(text: string, columns: number): string {
	if (displayWidth(text) <= columns) return text;
	let kept = "";
	for (const character of text) {
		if (displayWidth(`${kept}${character}…`) > columns) break;
		kept += character;
	}
	return columns > 0 ? `${kept.trimEnd()}…` : "";
}
