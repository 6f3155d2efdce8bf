import { shortTokens } from "../core/pressure/status-parts.ts";
import { countWithNoun, safeText } from "../core/text/text.ts";
import type { Story } from "./story.ts";

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [720, 200, 46, 14, 24];

/** Colours of the picture by itself; a page brings its own. */
const CARD_STYLE =
	"text{font:12px sans-serif;fill:#334}.line{fill:none;stroke:#1d4ed8;stroke-width:2}.cut{stroke:#b91c1c;stroke-dasharray:4 3}.axis{stroke:#99a}.trigger{stroke:#a16207}.nudge{fill:#a16207}.saved{fill:#15803d}";

/**
 * The curve of the context's size over a session's answers, as SVG: compactions are cuts, nudges and checkpoints marks. `trigger`: where
 * Claude Code compacts; `card`: lines of text above it, which make it a picture by itself.
 */
export function curveSvg(
	{ parts: allParts, nudges }: Pick<Story, "parts" | "nudges">,
	{ saved, trigger, card = [] }: { saved: readonly string[]; trigger: number | null; card?: readonly string[] },
): string {
	// (a picture has so many pixels)
	const step = Math.ceil(allParts.reduce((sum, { points }) => sum + points.length, 0) / 1_400);
	const isShown = (_: unknown, i: number, { length }: unknown[]): boolean => i % step === 0 || i === length - 1;
	const parts = allParts.map(({ points, boundary }) => ({ boundary, points: points.filter(isShown) }));
	const all = parts.flatMap(({ points }) => points);
	const sizes = [...parts.map(({ boundary }) => boundary?.preTokens ?? 0), ...all.map(({ tokens }) => tokens)];
	const most = Math.max(1, trigger ?? 0, ...sizes);
	const x = (i: number): string => (LEFT + ((WIDTH - LEFT - 8) * i) / Math.max(1, all.length - 1)).toFixed(1);
	const y = (tokens: number): string => (HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * tokens) / most).toFixed(1);
	let at = 0;
	const drawn = parts.flatMap(({ points, boundary }) => {
		// (a line of one point is not drawn)
		const shown = points.length === 1 ? [...points, ...points] : points;
		const line = shown.map(({ tokens }, i) => `${x(at + Math.min(i, 0.5 + points.length - 1))},${y(tokens)}`).join(" ");
		at += points.length;
		const cut =
			boundary && `<line class="cut" x1="${x(at - 0.5)}" x2="${x(at - 0.5)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>`;
		return [`<polyline class="line" points="${line}"/>`, ...(cut ? [cut] : [])];
	});
	const mark = (time: string, kind: string): string[] => {
		const i = all.findIndex((point) => point.at >= time);
		return i < 0
			? []
			: [`<circle class="${kind}" cx="${x(i)}" cy="${y(all[i]!.tokens)}" r="3.5"><title>${kind}</title></circle>`];
	};
	const level = (tokens: number, kind: string) =>
		`<line class="${kind}" x1="${LEFT}" x2="${WIDTH - 8}" y1="${y(tokens)}" y2="${y(tokens)}"/><text x="2" y="${Number(y(tokens)) + 4}">${shortTokens(tokens)}</text>`;
	const showTime = (time = ""): string => Bun.escapeHTML(safeText(time).slice(0, 16).replace("T", " "));
	const cuts = parts.filter(({ boundary }) => boundary).length;
	const label = `The context's size over a session, at most ${shortTokens(most)} tokens, with ${countWithNoun(cuts, "compaction")}`;
	const top = card.length * 18 + (card.length > 0 ? 10 : 0);
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${label}" viewBox="0 ${-top} ${WIDTH} ${HEIGHT + top}">`,
		...(card.length > 0
			? [`<style>${CARD_STYLE}</style><rect y="${-top}" width="${WIDTH}" height="${HEIGHT + top}" fill="#fff"/>`]
			: []),
		...card.map((line, i) => `<text x="8" y="${18 * (i + 1) - top}">${Bun.escapeHTML(line)}</text>`),
		level(0, "axis"),
		level(trigger ?? most, "trigger"),
		...drawn,
		...nudges.flatMap((time) => mark(time, "nudge")),
		...saved.flatMap((time) => mark(time, "saved")),
		...[all[0], all.at(-1)].map(
			(point, i) =>
				`<text x="${i ? WIDTH - 8 : LEFT}" y="${HEIGHT - 8}" text-anchor="${i ? "end" : "start"}">${showTime(point?.at)}</text>`,
		),
		"</svg>",
	].join("\n");
}

/** How a page looks: dark and light, from 360 pixels on, and printed with everything open. Contrasts are those of WCAG 2.2 AA. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--soft:#57606a;--line:#d0d7de;--lit:#ffe58f;--good:#116329;--bad:#a40e26;--warm:#7d4e00;--blue:#0550ae}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--soft:#9da7b1;--line:#3d444d;--lit:#5c4a00;--good:#56d364;--bad:#ff9492;--warm:#e3b341;--blue:#79c0ff}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:76rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);overflow-wrap:anywhere}
h1{font-size:1.5rem}h2{font-size:1.25rem;border-top:1px solid var(--line);padding-top:1rem}h3{font-size:1.05rem}
a{color:var(--blue)}:focus-visible{outline:3px solid var(--blue);outline-offset:2px}
figure{margin:1rem 0}svg{width:100%;height:auto}svg text{font-size:12px;fill:var(--soft)}
figcaption,.note,.mark{color:var(--soft);font-size:.9rem}.mark{margin:0}
.line{fill:none;stroke:var(--blue);stroke-width:2}.cut{stroke:var(--bad);stroke-dasharray:4 3}.axis{stroke:var(--line)}.trigger{stroke:var(--warm)}.nudge{fill:var(--warm)}.saved{fill:var(--good)}
.fact{font-weight:600}.said,pre{white-space:pre-wrap;margin:.25rem 0}
code,pre{font-family:ui-monospace,monospace;font-size:.9rem}
ol,ul{padding-left:1.4rem}li{margin:.4rem 0}nav ol,section ul{padding-left:1.2rem}
li.summary>.mark{color:var(--good)}li.whole>.mark{color:var(--blue)}li.neither>.mark{color:var(--bad)}li.part>.mark{color:var(--warm)}
mark{background:none;color:inherit;border-bottom:2px solid var(--good)}
details{border-left:3px solid var(--line);padding-left:.75rem;margin:.5rem 0}summary{cursor:pointer;min-height:24px}
.beside{display:grid;gap:1.5rem}
@media (min-width:60rem){.beside{grid-template-columns:1fr 1fr}}
@media print{body{max-width:none}details::details-content{display:block;content-visibility:visible}}
`;
