/**
 * Real compactions out of transcripts: what the agent knew before each, what the native summary kept, what the agent needed
 * next. The definitions are those of the project's measure: directives and short messages of the user verbatim (white space
 * and case normalised), files used again by base name, identifiers of the next 25 tool calls that had occurred before.
 */
import { basename } from "node:path";
import { transcriptsIn } from "../transcripts.ts";

// a foreign line may hold anything
// biome-ignore lint/suspicious/noExplicitAny: the shape is what is being found out
type Entry = Record<string, any>;

export interface FidelityCase {
	name: string;
	/** Transcript lines up to the boundary, and from it to the next one. */
	lines: string[];
	after: string[];
	sofar: Entry[];
	summary: string;
	trigger: string;
	cwd: string;
	directives: string[];
	messages: string[];
	files: string[];
	identifiers: string[];
	/** Name of the first tool called afterwards. */
	firstTool: string | null;
	/** Which compaction of its session it is, from 1. */
	nth: number;
}

const NEXT_CALLS = 25;
const DIRECTIVE =
	/\b(don'?t|do not|never|always|must|should(n'?t| not)|instead|only|make sure|prefer|avoid|no need)\b/i;
const TOKEN = /[A-Za-z0-9_./\-:@]{5,}/g;

export function loadCases(folder: string): FidelityCase[] {
	return transcriptsIn(folder)
		.flatMap(({ name, bytes }) => casesOf(name, bytes.toString("utf8").split("\n").filter(Boolean)))
		.toArray();
}

function casesOf(name: string, lines: string[]): FidelityCase[] {
	const entries = lines.map(parse);
	const marks = entries.flatMap((entry, i) =>
		entry.type === "system" && entry.subtype === "compact_boundary" ? [i] : [],
	);
	const cases: FidelityCase[] = [];
	let from = 0;
	for (const [k, at] of marks.entries()) {
		const end = marks[k + 1] ?? entries.length;
		const [pre, post, sofar] = [entries.slice(from, at), entries.slice(at + 1, end), entries.slice(0, at)];
		from = at + 1;
		const summary = post.slice(0, 12).find((entry) => entry.isCompactSummary);
		if (!summary) continue;
		const said = sofar.map(human).filter((text) => text !== null);
		const known = new Set(pre.flatMap(calls).map(fileOf));
		const used = post.flatMap(calls).map(fileOf);
		const before = identifiers(pre.map((entry) => pythonJson(message(entry))).join(" "));
		const next = new Set(
			post
				.flatMap(calls)
				.slice(0, NEXT_CALLS)
				.flatMap((call) => [...identifiers(pythonJson(call.input))]),
		);
		cases.push({
			name,
			lines: lines.slice(0, at),
			after: lines.slice(at, end),
			sofar,
			summary: textOf(message(summary).content),
			trigger: entries[at]!.compactMetadata?.trigger ?? "auto",
			cwd: sofar.findLast((entry) => entry.cwd)?.cwd ?? "/nonexistent",
			directives: said.filter((text) => text.length <= 3000).flatMap(directives),
			messages: said.filter((text) => text.length <= 400),
			files: [...new Set(used)].filter((path): path is string => path !== null && known.has(path)),
			identifiers: [...next].filter((token) => before.has(token)).sort(),
			firstTool: post.flatMap(calls)[0]?.name ?? null,
			nth: k + 1,
		});
	}
	return cases;
}

/** Found of all, by measure, in a text the model holds. */
export function score(
	one: FidelityCase,
	text: string,
): Record<"directives" | "messages" | "files" | "identifiers", [number, number]> {
	const whole = normalised(text);
	const low = text.toLowerCase();
	const count = (list: string[], holds: (item: string) => boolean): [number, number] => [
		list.filter(holds).length,
		list.length,
	];
	return {
		directives: count(one.directives, (item) => whole.includes(normalised(item))),
		messages: count(one.messages, (item) => whole.includes(normalised(item))),
		files: count(one.files, (item) => low.includes(basename(item).toLowerCase())),
		identifiers: count(one.identifiers, (item) => low.includes(item) || low.includes(basename(item))),
	};
}

function identifiers(text: string): Set<string> {
	const found = new Set<string>();
	for (const token of text.replaceAll("\\n", " ").replaceAll('\\"', " ").match(TOKEN) ?? []) {
		if (!/[./_\-:]|[a-z][A-Z]|\d/.test(token)) continue;
		const bare = token.replace(/^[.:\-/]+|[.:\-/]+$/g, "").toLowerCase();
		if (bare) found.add(bare);
	}
	return found;
}

function human(entry: Entry): string | null {
	if (entry.type !== "user" || entry.isMeta || entry.isSidechain || entry.isCompactSummary) return null;
	const { content } = message(entry);
	if (Array.isArray(content) && content.some((block) => block?.type === "tool_result")) return null;
	const text = textOf(content).trim();
	if (!text || /^(<|\[Request interrupted|Caveat:|This session is being continued)/.test(text)) return null;
	return text;
}

const directives = (text: string): string[] =>
	text.split(/(?<=[.!?\n])\s+/).filter((one) => one.length > 12 && one.length < 300 && DIRECTIVE.test(one));
const calls = (entry: Entry): { name: string; input: Entry }[] => {
	const { content } = message(entry);
	if (entry.type !== "assistant" || entry.isSidechain || !Array.isArray(content)) return [];
	return content.filter((block) => block?.type === "tool_use" && block.input && typeof block.input === "object");
};
const fileOf = (call: { input: Entry }): string | null => call.input.file_path ?? call.input.notebook_path ?? null;
const message = (entry: Entry): Entry => (entry.message && typeof entry.message === "object" ? entry.message : {});
const normalised = (text: string): string => text.replace(/\s+/g, " ").trim().toLowerCase();

function textOf(content: unknown): string {
	if (typeof content === "string") return content;
	return Array.isArray(content)
		? content.flatMap((block) => (block?.type === "text" ? [block.text ?? ""] : [])).join("\n")
		: "";
}

function parse(line: string): Entry {
	try {
		return JSON.parse(line);
	} catch {
		return {};
	}
}

/** As Python's json.dumps writes it: the measure was defined on that text. */
function pythonJson(value: unknown): string {
	if (value === null || value === undefined) return "null";
	if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
	if (typeof value === "object")
		return `{${Object.entries(value)
			.map(([key, one]) => `${JSON.stringify(key)}: ${pythonJson(one)}`)
			.join(", ")}}`;
	return JSON.stringify(value).replace(
		/[\u007f-\uffff]/g,
		(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}
