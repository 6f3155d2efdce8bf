/** Screens of a terminal as a picture: an SVG that is the same bytes for the same screens. */

export interface Scene {
	caption: string;
	/** Lines with the terminal's colour codes, as `tmux capture-pane -e` prints them. */
	lines: string[];
}

const CELL = { width: 8, height: 17 };
const MARGIN = 12;
const INK = "#d4d4d4";
const PALETTE = "#3b3b3b #f14c4c #23d18b #e5c07b #3b8eea #d670d6 #29b8db #e5e5e5".split(" ");

/** Without a title it is made of the captions. */
export function terminalSvg(scenes: Scene[], columns: number, title = captions(scenes, columns)): string {
	const body: string[] = [];
	let y = MARGIN;
	const row = (spans: string): void => {
		y += CELL.height;
		body.push(`<text y="${y - 4}">${spans}</text>`);
	};
	for (const { caption, lines } of scenes) {
		if (caption) row(`<tspan x="${MARGIN}" class="c">${escaped(caption)}</tspan>`);
		for (const line of lines) row(spansOf(line).map(span).join(""));
		y += CELL.height / 2;
	}
	const width = Math.max(columns, ...scenes.map(({ caption }) => caption.length)) * CELL.width + 2 * MARGIN;
	const style = `text{font:13px/1 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${INK};white-space:pre}.c{fill:#8a8a8a;font-style:italic}`;
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y + MARGIN}" viewBox="0 0 ${width} ${y + MARGIN}">`,
		`<title>${escaped(title)}</title>`,
		`<style>${style}</style><rect width="100%" height="100%" rx="6" fill="#1e1e1e"/>`,
		...body,
		"</svg>\n",
	].join("\n");
}

const captions = (scenes: Scene[], columns: number): string =>
	`A terminal of ${columns} columns: ${scenes.map(({ caption }) => caption).join("; ")}`;

interface Span {
	text: string;
	column: number;
	colour: string | null;
	dim: boolean;
	bold: boolean;
}

/** A line cut where its colour changes. */
function spansOf(line: string): Span[] {
	const spans: Span[] = [];
	let column = 0;
	let look = { colour: null as string | null, dim: false, bold: false };
	for (const [, codes, text] of line.matchAll(/\u001b\[([\d;]*)m|([^\u001b]+)/g)) {
		if (text === undefined) {
			look = applied(look, (codes || "0").split(";").map(Number));
			continue;
		}
		if (text.trim())
			spans.push({ text: text.trimEnd(), column: column + text.length - text.trimStart().length, ...look });
		column += Bun.stringWidth(text);
	}
	return spans.map((one) => ({ ...one, text: one.text.trimStart() }));
}

function applied(look: { colour: string | null; dim: boolean; bold: boolean }, codes: number[]) {
	const next = { ...look };
	for (let i = 0; i < codes.length; i++) {
		const code = codes[i]!;
		if (code === 0) Object.assign(next, { colour: null, dim: false, bold: false });
		else if (code === 1) next.bold = true;
		else if (code === 2) next.dim = true;
		else if (code === 22) Object.assign(next, { dim: false, bold: false });
		else if (code === 39) next.colour = null;
		else if (code >= 30 && code < 38) next.colour = PALETTE[code - 30]!;
		else if (code >= 90 && code < 98) next.colour = PALETTE[code - 90]!;
		else if (code === 38 && codes[i + 1] === 5) {
			next.colour = indexed(codes[i + 2]!);
			i += 2;
		} else if (code === 38 && codes[i + 1] === 2) {
			next.colour = `rgb(${codes.slice(i + 2, i + 5).join(",")})`;
			i += 4;
		}
	}
	return next;
}

/** One of the 256 colours: 16 of the palette, a cube of 6 × 6 × 6, 24 greys. */
function indexed(index: number): string {
	if (index < 16) return PALETTE[index % 8]!;
	if (index >= 232) return `rgb(${[0, 0, 0].map(() => 8 + (index - 232) * 10).join(",")})`;
	const level = (n: number): number => (n === 0 ? 0 : 55 + n * 40);
	const cube = index - 16;
	return `rgb(${[cube / 36, (cube / 6) % 6, cube % 6].map((n) => level(Math.floor(n))).join(",")})`;
}

function span({ text, column, colour, dim, bold }: Span): string {
	const x = MARGIN + column * CELL.width;
	const attributes = [
		colour ? ` fill="${colour}"` : "",
		dim ? ' opacity=".6"' : "",
		bold ? ' font-weight="bold"' : "",
	].join("");
	// the length holds each run to its columns, whatever font draws it
	return `<tspan x="${x}" textLength="${Bun.stringWidth(text) * CELL.width}" lengthAdjust="spacingAndGlyphs"${attributes}>${escaped(text)}</tspan>`;
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
