import { existsSync } from "node:fs";
import { basename } from "node:path";
import { countFates, triggerName } from "../core/audit/verdict.ts";
import { steeringText } from "../core/block/steering.ts";
import { shortenHomePaths } from "../core/block/views.ts";
import { shortTokens } from "../core/pressure/status-parts.ts";
import { countWithNoun, minuteText, normalise, oneLine, safeText, truncate, withThousands } from "../core/text/text.ts";
import { loadConfig } from "../store/config.ts";
import { readLastUsage } from "../store/pressure/flags.ts";
import { listStoredCheckpoints } from "../store/recovery/checkpoints.ts";
import type { Session } from "../store/session-handle.ts";
import { curveSvg } from "./curve.ts";
import { describeCompaction, readStory, type Story } from "./story.ts";

/** A page is at most so large; what does not fit is named. */
const MOST_BYTES = 300_000;

/** Opens a file with the program that the system has for it. Throws where there is none. */
export function openFile(path: string): true {
	const program = process.platform === "darwin" ? "open" : "xdg-open";
	Bun.spawn([program, path], { stdio: ["ignore", "ignore", "ignore"] }).unref();
	return true;
}

/** So many compactions of a session are shown, the newest. */
const MOST_COMPACTIONS = 12;

/**
 * Reads what a page is made of: of a session, or of the compaction whose checkpoint has this `key`. `shown`: the compactions on it, each with
 * its number in the session, from 1. Throws where the transcript shows no such compaction.
 */
export function pageInput(
	session: Session,
	{ transcript, folder, key }: { transcript: string; folder: string; key: string | undefined },
) {
	if (!existsSync(transcript))
		throw new Error(`the transcript of session ${session.id} is not there any more, and a page is made of it`);
	const { maxChars } = loadConfig(session.root, { sid: session.id, folder }).config.recovery;
	const story = readStory(session, transcript);
	const shown: { number: number; compaction: ReturnType<typeof describeCompaction> }[] = [];
	for (let number = story.parts.length - 1; number > 0 && shown.length < (key ? 1 : MOST_COMPACTIONS); number--) {
		const compaction = describeCompaction(session, transcript, story, number - 1, maxChars);
		if (key === undefined || compaction.key === key) shown.unshift({ number, compaction });
	}
	if (key !== undefined && shown.length === 0)
		throw new Error(`the transcript shows no compaction of ${key}; without a KEY the page is of the session`);
	const saved = listStoredCheckpoints(session, { sid: session.id }).map(({ at }) => at);
	const trigger = readLastUsage(session)?.trigger ?? null;
	return {
		story,
		shown,
		isWhole: key === undefined,
		session: session.id as string,
		transcript,
		project: basename(folder),
		saved,
		trigger,
	};
}

/** One HTML file on a session's compactions, which needs no script and no network. Texts of others never become markup. */
export function sessionPage(input: ReturnType<typeof pageInput>): string {
	for (let share = 1; ; share *= 0.7) {
		const page = pageWith(input, (most) => Math.max(1, Math.floor(most * share)));
		if (Buffer.byteLength(page) <= MOST_BYTES || share < 0.01) return page;
	}
}

/** The same as a picture: one line on each compaction, and the curve. */
export const sessionCard = ({ story, shown, saved, trigger, project }: ReturnType<typeof pageInput>): string =>
	curveSvg(story, {
		saved,
		trigger,
		card: [project, ...shown.slice(-4).map(({ compaction, number }) => factLine(compaction, number, story))].map(
			(line) => truncate(shortenHomePaths(line, process.env.HOME ?? ""), 110),
		),
	});

/** The page with every limit of its lists and texts as `limit` makes it. */
function pageWith(
	{ story, shown, isWhole, session, project, transcript, saved, trigger }: ReturnType<typeof pageInput>,
	limit: (most: number) => number,
): string {
	const title = `Compactions of ${project || "a session"}`;
	const hash = new Bun.CryptoHasher("sha256").update(STYLE + markRules(shown)).digest("base64");
	const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
	const sections = shown.map(({ compaction, number }) => sectionOfCompaction(compaction, number, story, limit));
	const links = shown.map(
		({ compaction, number }) => `<li><a href="#c${number}">${text(factLine(compaction, number, story))}</a></li>`,
	);
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${STYLE}${markRules(shown)}</style>
</head>
<body>
<header>
<h1>${text(title)}</h1>
<p>Session <code>${text(session)}</code>, from <code>${text(transcript)}</code>. This page holds what you and the agent wrote, with secrets that were recognised taken out: read it before you send it to somebody.</p>
<figure>${curveSvg(story, { saved, trigger })}<figcaption>Tokens in the context, answer by answer. Dashed: a compaction. Yellow: the trigger, and nudges. Green: checkpoints.</figcaption></figure>
<nav aria-label="Compactions"><ol>${links.join("\n")}</ol></nav>
</header>
<main>
${sections.join("\n")}
${isWhole ? `<section><h2>${shown.length > 0 ? "Since the last compaction" : "No compaction yet"}</h2>${conversation(story.parts.at(-1)!, limit)}</section>` : ""}
</main>
</body>
</html>
`;
}

/** A text as HTML shows it, never as markup; folders of a home without its name. */
const text = (raw: string): string => Bun.escapeHTML(shortenHomePaths(raw, process.env.HOME ?? ""));

/** Light up in the summary what a message shares with it, while that is pointed at or has the focus. */
const markRules = (shown: ReturnType<typeof pageInput>["shown"]): string =>
	shown
		.flatMap(({ compaction, number }) =>
			compaction.report.messages.map(({ fate }, i) => (fate === "summary" ? `c${number}m${i}` : "")),
		)
		.filter(Boolean)
		.map((id) => `:root:has(#${id}:hover) .${id},:root:has(#${id}:focus) .${id}{background:var(--lit)}`)
		.join("");

/** A compaction in one line: its size before and after, how long it took, and what is left of the user's messages. */
function factLine(
	{ boundary, report, tokensAfter, block }: ReturnType<typeof describeCompaction>,
	number: number,
	{ parts }: Story,
): string {
	const { total, summary, whole, part } = countFates([report]);
	const seconds = Math.round((boundary.durationMs ?? 0) / 1000);
	const size = [boundary.preTokens, tokensAfter]
		.map((tokens) => (tokens === null ? "?" : shortTokens(tokens)))
		.join(" → ");
	const took =
		seconds >= 60 ? `, ${Math.floor(seconds / 60)} min ${seconds % 60} s` : seconds > 0 ? `, ${seconds} s` : "";
	const held =
		report.summaryChars === null
			? "no summary was seen"
			: `of ${countWithNoun(total, "message")} the summary holds ${summary} word for word`;
	return `${size} tokens${took}, compaction ${number} of ${parts.length - 1}; ${held}${block === null ? "" : `, ccg gave back ${whole + part}`}`;
}

const FATES = {
	summary: "in the summary, word for word",
	whole: "given back whole",
	part: "given back in part",
	neither: "in neither",
} as const;

/** All that a page says of one compaction. */
function sectionOfCompaction(
	compaction: ReturnType<typeof describeCompaction>,
	number: number,
	story: Story,
	limit: (most: number) => number,
): string {
	const { boundary, report, summary, block, isRecorded, state, evidence } = compaction;
	const messages = report.messages.map(({ text: words, at, fate }, i) => {
		const id = `c${number}m${i}`;
		const time = at ? `${text(minuteText(safeText(at)))} ` : "";
		return `<li id="${id}" class="${fate}"${fate === "summary" ? ' tabindex="0"' : ""}><p class="mark">${time}${FATES[fate]}</p><p class="said" dir="auto">${text(fitText(words, limit(1_500)))}</p></li>`;
	});
	const lists = Object.entries(evidence).flatMap(([name, entries]) =>
		entries.length > 0 ? [evidenceList(name, entries, limit)] : [],
	);
	const steering = block && steeringText(state, boundary.trigger, 4_000);
	return `<section id="c${number}" aria-labelledby="h${number}">
<h2 id="h${number}">Compaction ${number}, ${text(minuteText(safeText(boundary.at)))}, ${triggerName(boundary.trigger)}</h2>
<p class="fact">${text(factLine(compaction, number, story))}</p>
<div class="beside">
<div><h3>The user's messages</h3>${someOf(messages, limit(80), "messages", "ol")}</div>
<div><h3>The summary</h3>${summary === null ? "<p>None was seen.</p>" : `<p class="said" dir="auto">${markedSummary(compaction, number, limit(24_000))}</p>`}</div>
</div>
<h3>What was done before it, and what of it the summary holds</h3>
${lists.join("\n") || "<p>No call ended.</p>"}
<h3>What the model was given beside the summary</h3>
${block === null ? "<p>Nothing of ccg's stands in the transcript.</p>" : folded(`The block, ${withThousands(block.length)} characters${isRecorded ? "" : ", made again: this client records no hooks"}`, `<p class="said" dir="auto">${text(fitText(block, limit(12_000)))}</p>`)}
${steering ? folded("What ccg asks of the summary", `<p class="said" dir="auto">${text(steering)}</p>`) : ""}
<h3>The conversation before it</h3>
${conversation(story.parts[number - 1]!, limit)}
</section>`;
}

/** A part of the page that is opened by a click or a key. */
const folded = (title: string, body: string): string => `<details><summary>${text(title)}</summary>${body}</details>`;

/** A text, or its beginning with how much more there is. */
const fitText = (words: string, most: number): string =>
	words.length <= most
		? words
		: `${words.slice(0, most).toWellFormed()} … (${withThousands(words.length - most)} characters more)`;

/** The newest of a list's entries, and how many older ones there are. */
function someOf(entries: readonly string[], most: number, what: string, tag: "ol" | "ul"): string {
	const older = entries.length - most;
	const note = older > 0 ? `<p class="note">Not on this page: ${withThousands(older)} earlier ${what}.</p>` : "";
	return entries.length === 0 ? "<p>None.</p>" : `${note}<${tag}>${entries.slice(-most).join("\n")}</${tag}>`;
}

/** What was done of one kind, each with whether it stands in the summary. */
function evidenceList(
	name: string,
	entries: ReturnType<typeof describeCompaction>["evidence"]["files"],
	limit: (most: number) => number,
): string {
	const held = entries.filter(({ isHeld }) => isHeld).length;
	const lines = entries.map(
		({ text: what, more, isHeld }) =>
			`<li class="${isHeld ? "summary" : "neither"}"><code dir="auto">${text(what)}</code> ${text(more)} <span class="mark">${isHeld ? "in the summary" : "not"}</span></li>`,
	);
	return folded(`${name}: the summary holds ${held} of ${entries.length}`, someOf(lines, limit(60), name, "ul"));
}

/** The summary, with the places that messages share with it: marked by the classes that `markRules` lights up. */
function markedSummary(
	{ summary, report }: ReturnType<typeof describeCompaction>,
	number: number,
	most: number,
): string {
	const shown = fitText(summary!, most);
	const spans = report.messages.flatMap(({ text: words, fate }, i) => {
		const span = fate === "summary" ? findWords(shown, words) : null;
		return span ? [{ ...span, id: `c${number}m${i}` }] : [];
	});
	const ordered = spans.sort((a, b) => a.start - b.start);
	let [html, at] = ["", 0];
	for (const { start, end, id } of ordered) {
		if (start < at) continue;
		html += `${text(shown.slice(at, start))}<mark class="${id}">${text(shown.slice(start, end))}</mark>`;
		at = end;
	}
	return html + text(shown.slice(at));
}

/** Where a text holds words, whatever the white space and the case; `null` where it does not. */
function findWords(whole: string, words: string): { start: number; end: number } | null {
	let [plain, wasSpace] = ["", true];
	const places: number[] = [];
	for (let i = 0; i < whole.length; i++) {
		const isSpace = whole[i]!.trim() === "";
		const sign = isSpace ? (wasSpace ? "" : " ") : whole[i]!.toLowerCase();
		for (const _ of sign) places.push(i);
		plain += sign;
		wasSpace = isSpace;
	}
	const wanted = normalise(words);
	const found = wanted ? plain.indexOf(wanted) : -1;
	return found < 0 ? null : { start: places[found]!, end: (places[found + wanted.length - 1] ?? whole.length - 1) + 1 };
}

/** The requests of a part, each folded with what was said and done for it. */
function conversation({ requests, omitted }: Story["parts"][number], limit: (most: number) => number): string {
	const steps = (request: (typeof requests)[number]): string =>
		request.steps
			.slice(0, limit(60))
			.map((step) => {
				const words = safeText(step.text);
				if (!step.tool) return `<p class="said" dir="auto">${text(fitText(words, limit(1_200)))}</p>`;
				const output = `<pre dir="auto">${text(fitText(safeText(step.output), limit(500)))}</pre>`;
				return folded(
					`${step.failed ? "failed: " : ""}${safeText(step.tool)} ${truncate(oneLine(words), 160)}`,
					output,
				);
			})
			.join("\n");
	const left = (request: (typeof requests)[number]): number =>
		request.omitted + Math.max(0, request.steps.length - limit(60));
	const shown = requests.map((request) =>
		folded(
			truncate(oneLine(safeText(request.text)) || "(before the first message)", 160),
			`<p class="said" dir="auto">${text(fitText(safeText(request.text), limit(3_000)))}</p>${steps(request)}${left(request) > 0 ? `<p class="note">Not on this page: ${countWithNoun(left(request), "step")} more.</p>` : ""}`,
		),
	);
	const older =
		omitted > 0 ? `<p class="note">In the transcript alone: ${countWithNoun(omitted, "earlier request")}.</p>` : "";
	return `${older}${someOf(
		shown.map((one) => `<li>${one}</li>`),
		limit(80),
		"requests",
		"ul",
	)}`;
}

/** How a page looks: dark and light, from 360 pixels on, and printed with everything open. Contrasts are those of WCAG 2.2 AA. */
const STYLE = `
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
