import { existsSync } from "node:fs";
import { basename } from "node:path";
import { countFates, triggerName } from "../core/audit/verdict.ts";
import { steeringText } from "../core/block/steering.ts";
import { shortenHomePaths } from "../core/block/views.ts";
import { sizesText } from "../core/pressure/status-parts.ts";
import { freshStart } from "../core/session/status.ts";
import {
	countWithNoun,
	durationText,
	minuteText,
	normalise,
	oneLine,
	safeText,
	truncate,
	withThousands,
} from "../core/text/text.ts";
import { loadConfig } from "../store/config.ts";
import { readLastUsage } from "../store/pressure/flags.ts";
import { listStoredCheckpoints } from "../store/recovery/checkpoints.ts";
import type { Session } from "../store/session-handle.ts";
import { curveSvg, PAGE_STYLE } from "./curve.ts";
import { describeCompaction, findCompactions, type Part, readStory, type Story } from "./story.ts";

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
 * Reads what a page is made of: of a session, or of the compaction whose checkpoint has this `key`. `shown`: the compactions on it. Throws where the transcript shows no such compaction.
 */
export function pageInput(
	session: Session,
	{ transcript, folder, key }: { transcript: string; folder: string; key: string | undefined },
) {
	if (!existsSync(transcript))
		throw new Error(`the transcript of session ${session.id} is not there any more, and a page is made of it`);
	const { maxChars } = loadConfig(session.root, { sid: session.id, folder }).config.recovery;
	const story = readStory(session, transcript);
	const found = findCompactions(session, story, key, MOST_COMPACTIONS);
	const shown = found.map((one) => describeCompaction(session, story.path, one, maxChars));
	if (key !== undefined && shown.length === 0)
		throw new Error(`the transcript shows no compaction of ${key}; without a KEY the page is of the session`);
	const saved = listStoredCheckpoints(session, { sid: session.id }).map(({ at }) => at);
	const trigger = readLastUsage(session)?.trigger ?? null;
	const [project, isWhole] = [basename(folder), key === undefined];
	return { story, shown, isWhole, session: session.id as string, project, saved, trigger };
}

/** One HTML file on a session's compactions, which needs no script and no network. Texts of others never become markup. */
export function sessionPage(input: ReturnType<typeof pageInput>): string {
	for (let share = 1; ; share *= 0.7) {
		const page = pageWith(input, (most) => Math.max(1, Math.floor(most * share)));
		if (Buffer.byteLength(page) <= MOST_BYTES || share < 0.01) return page;
	}
}

/** The same as a picture: one line on each compaction, and the curve. */
export function sessionCard({ story, shown, saved, trigger, project }: ReturnType<typeof pageInput>): string {
	const lines = [project, ...shown.slice(-4).map((compaction) => factLine(compaction, story))];
	return curveSvg(story, { saved, trigger, card: lines.map((line) => truncate(withoutHome(line), 110)) });
}

/** The page with every limit of its lists and texts as `limit` makes it. */
function pageWith(
	{ story, shown, isWhole, session, project, saved, trigger }: ReturnType<typeof pageInput>,
	limit: (most: number) => number,
): string {
	const title = `Compactions of ${project || "a session"}`;
	const style = PAGE_STYLE + markRules(shown);
	const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64");
	const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
	const sections = shown.map((compaction) => sectionOfCompaction(compaction, story, limit));
	const links = shown.map(
		(compaction) => `<li><a href="#c${compaction.number}">${text(factLine(compaction, story))}</a></li>`,
	);
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${text(title)}</h1>
<p>Session <code>${text(session)}</code>, from <code>${text(story.path)}</code>. This page holds what you and the agent wrote, with secrets that were recognised taken out: read it before you send it to somebody.</p>
<figure>${curveSvg(story, { saved, trigger })}<figcaption>Tokens in the context, answer by answer. Dashed: a compaction. Yellow: the trigger, and nudges. Green: checkpoints.</figcaption></figure>
<nav aria-label="Compactions"><ol>${links.join("\n")}</ol></nav>${story.parts.length > 3 ? `<p class="note">After several compactions a fresh start with a handoff may serve better: <code>${text(freshStart(session))}</code></p>` : ""}
</header>
<main>
${sections.join("\n")}
${isWhole ? `<section><h2>${shown.length > 0 ? "Since the last compaction" : "No compaction yet"}</h2>${conversation(story.parts.at(-1)!, limit)}</section>` : ""}
</main>
</body>
</html>
`;
}

/** A text with the folders of a home without its name. */
const withoutHome = (raw: string): string => shortenHomePaths(raw, process.env.HOME ?? "");

/** A text as HTML shows it, never as markup. */
const text = (raw: string): string => Bun.escapeHTML(withoutHome(raw));

/** Light up in the summary what a message shares with it, while that is pointed at or has the focus. */
const markRules = (shown: ReturnType<typeof pageInput>["shown"]): string =>
	shown
		.flatMap(({ report, number }) =>
			report.messages.map(({ fate }, i) => (fate === "summary" ? `c${number}m${i}` : "")),
		)
		.filter(Boolean)
		.map((id) => `:root:has(#${id}:hover) .${id},:root:has(#${id}:focus) .${id}{background:var(--lit)}`)
		.join("");

/** A compaction in one line: its size before and after, how long it took, and what is left of the user's messages. */
function factLine(
	{ number, boundary, report, usage, block }: ReturnType<typeof describeCompaction>,
	{ parts }: Story,
): string {
	const { total, summary, whole, part } = countFates([report]);
	const after = usage?.tokens ?? boundary.postTokens ?? null;
	const sizes = sizesText({ before: boundary.preTokens, after, anew: usage && usage.tokens - usage.cacheRead });
	const took = durationText(boundary.durationMs ?? 0);
	const held =
		report.summaryChars === null
			? "no summary was seen"
			: `of ${countWithNoun(total, "message")} the summary holds ${summary} word for word`;
	return `${sizes}${took && `, ${took}`}, compaction ${number} of ${parts.length - 1}; ${held}${block === null ? "" : `, ccg gave back ${whole + part}`}`;
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
	story: Story,
	limit: (most: number) => number,
): string {
	const { number, part, boundary, report, summary, block, isRecorded, state, evidence } = compaction;
	const messages = report.messages.map((message, i) => ({ ...message, id: `c${number}m${i}` }));
	const showMessage = ({ id, text: words, at, fate }: (typeof messages)[number]): string => {
		const time = at ? `${text(minuteText(safeText(at)))} ` : "";
		return `<li id="${id}" class="${fate}"${fate === "summary" ? ' tabindex="0"' : ""}><p class="mark">${time}${FATES[fate]}</p><p class="said" dir="auto">${text(fitText(words, limit(1_500)))}</p></li>`;
	};
	const lists = Object.entries(evidence).flatMap(([name, entries]) =>
		entries.length > 0 ? [evidenceList(name, entries, limit)] : [],
	);
	const steering = block && steeringText(state, boundary.trigger, 4_000);
	return `<section id="c${number}" aria-labelledby="h${number}">
<h2 id="h${number}">Compaction ${number}, ${text(minuteText(safeText(boundary.at)))}, ${triggerName(boundary.trigger)}</h2>
<p class="fact">${text(factLine(compaction, story))}</p>
<div class="beside">
<div><h3>The user's messages</h3>${someOf(messages, limit(80), ["messages", "ol"], showMessage)}</div>
<div><h3>The summary</h3>${summary === null ? "<p>None was seen.</p>" : `<p class="said" dir="auto">${markedSummary(compaction, limit(24_000))}</p>`}</div>
</div>
<h3>What was done before it, and what of it the summary holds</h3>
${lists.join("\n") || "<p>No call ended.</p>"}
<h3>What the model was given beside the summary</h3>
${block === null ? "<p>Nothing of ccg's stands in the transcript.</p>" : folded(`The block, ${withThousands(block.length)} characters${isRecorded ? "" : ", made again: this client records no hooks"}`, `<p class="said" dir="auto">${text(fitText(block, limit(12_000)))}</p>`)}
${steering ? folded("What ccg asks of the summary", `<p class="said" dir="auto">${text(steering)}</p>`) : ""}
<h3>The conversation before it</h3>
${conversation(part, limit)}
</section>`;
}

/** A part of the page that is opened by a click or a key. */
const folded = (title: string, body: string): string => `<details><summary>${text(title)}</summary>${body}</details>`;

/** A text, or its beginning with how much more there is. */
const fitText = (words: string, most: number): string =>
	words.length <= most
		? words
		: `${words.slice(0, most).toWellFormed()} … (${withThousands(words.length - most)} characters more)`;

/** The newest entries as a list, each as `show` makes it, and how many older ones there are. */
function someOf<T>(
	entries: readonly T[],
	most: number,
	[what, tag]: [string, "ol" | "ul"],
	show: (entry: T) => string,
): string {
	const older = entries.length - most;
	const note = older > 0 ? `<p class="note">Not on this page: ${withThousands(older)} earlier ${what}.</p>` : "";
	if (entries.length === 0) return "<p>None.</p>";
	return `${note}<${tag}>${entries.slice(-most).map(show).join("\n")}</${tag}>`;
}

/** What was done of one kind, each with whether it stands in the summary. */
function evidenceList(
	name: string,
	entries: ReturnType<typeof describeCompaction>["evidence"]["files"],
	limit: (most: number) => number,
): string {
	const held = entries.filter(({ isHeld }) => isHeld).length;
	const list = someOf(
		entries,
		limit(60),
		[name, "ul"],
		({ text: what, more, isHeld }) =>
			`<li class="${isHeld ? "summary" : "neither"}"><code dir="auto">${text(what)}</code> ${text(more)} <span class="mark">${isHeld ? "in the summary" : "not"}</span></li>`,
	);
	return folded(`${name}: the summary holds ${held} of ${entries.length}`, list);
}

/** The summary, with the places that messages share with it: marked by the classes that `markRules` lights up. */
function markedSummary({ number, summary, report }: ReturnType<typeof describeCompaction>, most: number): string {
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

/** The requests of a part. */
function conversation({ requests, omitted }: Part, limit: (most: number) => number): string {
	const older =
		omitted > 0 ? `<p class="note">In the transcript alone: ${countWithNoun(omitted, "earlier request")}.</p>` : "";
	return (
		older + someOf(requests, limit(80), ["requests", "ul"], (request) => `<li>${showRequest(request, limit)}</li>`)
	);
}

/** A request, folded, with what was said and done for it. */
function showRequest({ text: raw, steps, omitted }: Part["requests"][number], limit: (most: number) => number): string {
	const words = safeText(raw);
	const shown = steps.slice(0, limit(60));
	const left = omitted + steps.length - shown.length;
	const note = left > 0 ? `<p class="note">Not on this page: ${countWithNoun(left, "step")} more.</p>` : "";
	const body = shown.map((step) => showStep(step, limit)).join("\n");
	return folded(
		truncate(oneLine(words) || "(before the first message)", 160),
		`<p class="said" dir="auto">${text(fitText(words, limit(3_000)))}</p>${body}${note}`,
	);
}

/** What the agent said, or a call of it, folded, with its output. */
function showStep(
	{ tool, text: raw, output, failed }: Part["requests"][number]["steps"][number],
	limit: (most: number) => number,
): string {
	const words = safeText(raw);
	if (!tool) return `<p class="said" dir="auto">${text(fitText(words, limit(1_200)))}</p>`;
	const title = `${failed ? "failed: " : ""}${safeText(tool)} ${truncate(oneLine(words), 160)}`;
	return folded(title, `<pre dir="auto">${text(fitText(safeText(output), limit(500)))}</pre>`);
}
