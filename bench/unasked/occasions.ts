/**
 * Where a passage could be given by itself: the typed prompts, failed calls and edits of files edited before, among what follows a
 * compaction. Each with what the model had then and what it did next.
 */
import { decode } from "../../src/core/transcript/decode.ts";
import type { TranscriptEvent } from "../../src/core/transcript/event.ts";
import type { FidelityCase } from "../fidelity/cases.ts";
import { namesOf, sourceOf } from "./names.ts";

export type Trigger = "prompt" | "failure" | "edit";

/** What the model had, lower case and without the folder's path. The first that holds a name is its source. */
export interface Had {
	/** The prompt, or the call with its outcome. */
	occasion: string;
	summary: string;
	/** Since the boundary. */
	conversation: string;
	/** What ccg gave after the compaction. */
	block: string;
}

export interface Occasion {
	trigger: Trigger;
	session: string;
	cwd: string;
	text: string;
	tool: string;
	path: string;
	/** Text of the failed result. */
	error: string;
	had: Had;
	/** The inputs of the next ten calls, lower case. */
	next: string;
	/** The same with what the agent said until then. */
	nextWords: string;
	/** Names in the inputs that the model did not have. */
	lacked: readonly string[];
	/** Of these, those that stood in the session's transcript before the boundary. */
	needed: readonly string[];
}

// a foreign line may hold anything
// biome-ignore lint/suspicious/noExplicitAny: the shape is what is being found out
type Entry = Record<string, any>;
type Call = Extract<TranscriptEvent, { kind: "call" }>;
type Bare = Pick<Occasion, "trigger" | "text" | "tool" | "path" | "error">;

const NEXT_CALLS = 10;
const EDITS = /^(?:Edit|MultiEdit|Write|NotebookEdit)$/;

/** The occasions behind a compaction that any call followed. `block`: what ccg gave there. */
export function occasionsOf(one: FidelityCase, block: string): Occasion[] {
	const bare = (text: string): string => text.replaceAll(`${one.cwd}/`, "").toLowerCase();
	const entries = one.after.map(parse);
	const events = entries.map((entry) => decode(entry));
	const isOccasion = recogniser(one, events.flat());
	const before = bare(one.sofar.map(modelText).join("\n"));
	const given = { summary: bare(one.summary), block: bare(block) };
	const found: Occasion[] = [];
	let conversation = "";
	for (const [i, list] of events.entries()) {
		for (const event of list) {
			const occasion = isOccasion(event);
			const next = occasion && nextOf(events.slice(i + 1).flat());
			if (!next?.inputs) continue;
			const had = { occasion: bare(occasion!.text), ...given, conversation };
			const inputs = next.inputs.replaceAll(`${one.cwd}/`, "");
			const lacked = [...namesOf(inputs)].filter((name) => sourceOf(name, had) === "new");
			const needed = lacked.filter((name) => before.includes(name));
			const later = { next: bare(inputs), nextWords: bare(next.words) };
			found.push({ ...occasion!, session: one.name, cwd: one.cwd, had, lacked, needed, ...later });
		}
		conversation += bare(`${modelText(entries[i]!)}\n`);
	}
	return found;
}

/** The inputs of the next ten calls, and what the agent said until then besides. */
function nextOf(events: readonly TranscriptEvent[]): { inputs: string; words: string } {
	const inputs: string[] = [];
	const said: string[] = [];
	for (const event of events) {
		if (event.kind === "call" && inputs.length === NEXT_CALLS) break;
		if (event.kind === "call") inputs.push(deepText(event.input));
		if (event.kind === "said") said.push(event.text);
	}
	return { inputs: inputs.join("\n"), words: [...inputs, ...said].join("\n") };
}

/** Says which events of a cycle are occasions: a prompt said twice is one, and each file is edited again once. */
function recogniser(one: FidelityCase, events: readonly TranscriptEvent[]): (event: TranscriptEvent) => Bare | null {
	const calls = callsOf(events);
	const edited = new Set([...callsOf(one.sofar.flatMap((entry) => decode(entry))).values()].filter(isEdit).map(pathOf));
	const seen = new Set<string>();
	const first = (what: string): boolean => !seen.has(what) && seen.add(what) !== undefined;
	return (event) => {
		if (event.kind === "message")
			return !event.waits && first(`prompt ${event.text}`)
				? { trigger: "prompt", text: event.text, tool: "", path: "", error: "" }
				: null;
		const call = event.kind === "result" ? calls.get(event.id) : undefined;
		if (event.kind !== "result" || !call) return null;
		const path = pathOf(call);
		const base = { tool: call.tool, path, text: `${deepText(call.input)}\n${event.text}` };
		if (event.failed) return { trigger: "failure", ...base, error: event.text };
		return isEdit(call) && edited.has(path) && first(`edit ${path}`) ? { trigger: "edit", ...base, error: "" } : null;
	};
}

const callsOf = (events: readonly TranscriptEvent[]): Map<string, Call> =>
	new Map(events.flatMap((event) => (event.kind === "call" ? [[event.id, event] as const] : [])));
const isEdit = ({ tool }: Call): boolean => EDITS.test(tool);
const pathOf = ({ input }: Call): string => String(input.file_path ?? input.notebook_path ?? "");

/** What of a line the model reads besides the summary: its message, or what was attached. */
function modelText(entry: Entry): string {
	if (entry.isSidechain || entry.isCompactSummary) return "";
	return deepText(entry.message?.content ?? entry.attachment ?? "");
}

function deepText(value: unknown, depth = 0): string {
	if (typeof value === "string") return value;
	if (typeof value === "number") return String(value);
	if (!value || typeof value !== "object" || depth > 8) return "";
	return Object.values(value)
		.map((one) => deepText(one, depth + 1))
		.join("\n");
}

function parse(line: string): Entry {
	try {
		return JSON.parse(line);
	} catch {
		return {};
	}
}
