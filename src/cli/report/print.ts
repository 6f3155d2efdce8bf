import type { Kind } from "../../core/recovery/item.ts";
import type { KindLoss } from "../../core/recovery/loss-report.ts";
import { statementsIn, verdict } from "../../core/recovery/loss-verdict.ts";
import { STATEMENTS } from "../../core/recovery/said.ts";
import { grouped, oneLine } from "../../core/text/text.ts";
import type { Io } from "../support/io.ts";
import { fitted, wrapped } from "../support/layout/fit.ts";
import { moment } from "../support/layout/moment.ts";
import { table } from "../support/layout/table.ts";
import type { ShownReport } from "./shown.ts";

/** What came of it in one sentence, then each compaction: what the user said, claims, all of it in numbers. */
export function printReports(reports: readonly ShownReport[], terminal: Io): void {
	const lines: string[] = [];
	const io = { ...terminal, out: (line: string) => void lines.push(line) };
	printAll(reports, io);
	const text = lines.join("\n");
	if (!terminal.page?.(text)) terminal.out(text);
}

function printAll(reports: readonly ShownReport[], io: Io): void {
	const { out, colours: c } = io;
	const text = (line: string, indent = "", paint: (part: string) => string = String): void => {
		for (const part of wrapped(line, (io.columns ?? Infinity) - indent.length)) out(indent + paint(part));
	};
	const sessions = new Set(reports.map(({ session }) => session)).size;
	const many = `${reports.length} compactions${sessions > 1 ? ` of ${sessions} sessions` : ""}: `;
	const paint = paintOf(reports, c);
	text((reports.length > 1 ? many : "") + verdict(reports), "", (part) => c.bold(paint(part)));
	for (const one of reports) {
		out("");
		heading(one, reports.length > 1, io, text);
		said(one, io);
		for (const { sentence, about, finding } of one.claims)
			if (about === "deed") labelled(c.red, "unproven", `${finding}; the summary says: ${oneLine(sentence)}`, io);
			else labelled(c.red, "no source", `the summary says of the user: ${oneLine(sentence)}`, io);
		if (one.claims.length > 0 || lostLines(one).length > 0) out("");
		numbers(one, io);
		work(one, io);
	}
}

/** Red where something is gone for good, yellow where something was made up. */
function paintOf(reports: readonly ShownReport[], c: Io["colours"]): (text: string) => string {
	if (statementsIn(reports).lost > 0) return c.red;
	return reports.some((one) => one.claims.length > 0) ? c.yellow : c.green;
}

type PrintLine = (line: string, indent?: string, paint?: (part: string) => string) => void;

function heading(one: ShownReport, withVerdict: boolean, { colours: c }: Io, text: PrintLine): void {
	const where = one.project ? `${oneLine(one.project)}, ` : "";
	const trigger = /^\w{1,20}$/.test(one.trigger) ? one.trigger : "unknown";
	text(`${where}${moment(one.at)}, ${trigger} compaction of session ${one.session}`, "", c.bold);
	if (withVerdict) text(verdict([one]), "  ", paintOf([one], c));
	const facts = [
		one.tokensBefore === null ? "" : `${grouped(one.tokensBefore)} tokens before it`,
		one.tokensAfter === null ? "" : `${grouped(one.tokensAfter)} after it`,
		one.summaryChars === null ? "no summary seen" : `summary ${grouped(one.summaryChars)} characters`,
		`injected ${grouped(one.injectedChars.block)} + ${grouped(one.injectedChars.followUp)} characters`,
	];
	text(facts.filter(Boolean).join("; "), "  ", c.dim);
}

export const SHOWN = 12;

/** What the user said and the summary does not hold word for word: the lost first. */
function said(one: ShownReport, io: Io): void {
	const { colours: c } = io;
	const lines = lostLines(one);
	for (const { kind, text, ...line } of lines.slice(0, SHOWN * 2)) {
		const label = fateOf(line);
		const paint = { "own words": c.dim, "to come": c.yellow, back: c.green, lost: c.red }[label];
		labelled(paint, label, `${kind === "message" ? "" : `${kind}: `}${bare(text)}`, io);
	}
	more(lines.length - SHOWN * 2, io);
}

/** What became of a line that the summary does not hold word for word. */
export const fateOf = ({ fate, injected, later }: Omit<KindLoss["lines"][number], "text">) =>
	fate === "reworded" ? "own words" : later ? "to come" : injected || fate === "reloaded" ? "back" : "lost";

export function lostLines({ kinds }: ShownReport) {
	const lines = [...STATEMENTS].flatMap((kind) => (kinds[kind]?.lines ?? []).map((line) => ({ kind, ...line })));
	const rank = (fate: string): number => (fate === "reworded" ? 1 : 0);
	return lines.sort((a, b) => rank(a.fate) - rank(b.fate));
}

function numbers(one: ShownReport, io: Io): void {
	const rows = Object.entries(one.kinds) as [Kind, KindLoss][];
	const column = (
		title: string,
		rank: number,
		count: (loss: KindLoss) => number,
		paint?: (cell: string) => string,
	) => ({
		title,
		rank,
		align: "right" as const,
		cells: rows.map(([, loss]) => String(count(loss))),
		...(paint && { paint: (cell: string) => (cell.trim() === "0" ? cell : paint(cell)) }),
	});
	const { lines } = table(
		[
			{ title: "", cells: rows.map(([kind]) => kind), rank: 0, least: 6 },
			column("all", 1, ({ total }) => total),
			column("word for word", 0, ({ verbatim }) => verbatim),
			column("reworded", 0, ({ reworded }) => reworded),
			column("back", 0, ({ droppedBack, later }) => droppedBack - later, io.colours.green),
			column("to come", 2, ({ later }) => later),
			column("lost", 0, ({ dropped, droppedBack }) => dropped - droppedBack, io.colours.yellow),
		],
		(io.columns ?? Infinity) - 2,
		io.colours.dim,
	);
	for (const line of lines) io.out(`  ${line}`);
}

/** What else was lost: tasks, failures, files. Names are counted, not listed. */
function work({ kinds }: ShownReport, io: Io): void {
	const { colours: c } = io;
	let first = true;
	for (const [kind, { lines }] of Object.entries(kinds) as [Kind, KindLoss][]) {
		if (STATEMENTS.has(kind)) continue;
		const lost = lines.filter(({ fate }) => fate !== "reworded");
		for (const { text, ...line } of lost.slice(0, SHOWN)) {
			if (first) io.out("");
			first = false;
			const label = fateOf(line);
			labelled(label === "back" ? c.green : c.yellow, label, `${kind}: ${bare(text)}`, io);
		}
		more(lost.length - SHOWN, io);
	}
}

export const bare = (text: string): string => oneLine(text).replace(/^- /, "").replace(/^> /, "");

function labelled(paint: (text: string) => string, label: string, text: string, { out, columns }: Io): void {
	out(`  ${paint(label.padEnd(9))}  ${fitted(text, Math.min(columns ?? 160, 160) - 13)}`);
}

function more(count: number, { out, colours: c }: Io): void {
	if (count > 0) out(c.dim(`  … ${count} more (--json has them)`));
}
