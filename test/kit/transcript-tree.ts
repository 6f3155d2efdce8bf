/**
 * Makes transcripts with branches, as Claude Code leaves them: rewinds, edited messages, parallel calls whose results hang
 * each on its own call, progress lines in the path (2.1.9 to 2.1.39), lost parents, compactions of all and of a part, forks with another session
 * id. Every text says where it stands: `keep-7` on the active branch, and `gone-7` where it was left.
 */
import fc from "fast-check";

type Json = Record<string, unknown>;

/**
 * What happens next; numbers choose among what is there. `calls`: parallel ones, whose results come in an order of their own. `send`: queued
 * messages and Esc, they are sent by interrupting calls, of which some have `ended`; with another Esc they are taken `back` before the answer.
 */
export type Step =
	| { do: "ask" | "answer" | "fail" | "progress" | "side" | "compact" | "lose" }
	| { do: "calls"; count: number; order: number; late: boolean }
	| Sending
	| { do: "rewind" | "from here" | "up to here"; to: number };
interface Sending {
	do: "send";
	queued: number;
	calls: number;
	ended: number;
	/** Written behind the results of the calls, instead of before them. */
	behind: boolean;
	back: boolean;
}

const few = (max: number) => fc.integer({ min: 1, max });
const CALLS = { do: fc.constant("calls" as const), count: few(4), order: fc.nat(23), late: fc.boolean() };
const SENDING = { queued: few(3), calls: few(4), ended: fc.nat(3), behind: fc.boolean(), back: fc.boolean() };
const SUMMING = { do: fc.constantFrom("from here" as const, "up to here" as const), to: fc.nat(30) };
const OFTEN = "ask ask ask ask ask answer answer answer answer progress progress fail side compact".split(" ");

export const steps: fc.Arbitrary<Step[]> = fc.array(
	fc.oneof<fc.WeightedArbitrary<Step>[]>(
		{ weight: 14, arbitrary: fc.record({ do: fc.constantFrom(...(OFTEN as ("ask" | "answer")[])) }) },
		{ weight: 4, arbitrary: fc.record(CALLS) },
		{ weight: 2, arbitrary: fc.record({ do: fc.constant("send" as const), ...SENDING }) },
		{ weight: 1, arbitrary: fc.record(SUMMING) },
		{ weight: 3, arbitrary: fc.record({ do: fc.constant("rewind" as const), to: fc.nat(30) }) },
	),
	{ minLength: 1, maxLength: 40 },
);

interface Point {
	/** The line that a new prompt hangs on. */
	parent: string | null;
	/** How many names were in use then. */
	names: number;
	/** Sent by interrupting calls: it stands beside the path. */
	isBeside?: true;
}

export interface Tree {
	/** Lines as in the file. */
	lines: string[];
	/** Names said on the active branch and on those that were left. */
	active: string[];
	left: string[];
}

const BASE = { isSidechain: false, userType: "external", cwd: "/p", sessionId: "s", version: "2.1.329" };
const uuidOf = (count: number): string => `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;

/** Plays the steps. Each text holds a name `nameN` of its own, so that what is injected can be looked for. */
export function grow(what: readonly Step[]): Tree {
	const lines: string[] = [];
	let leaf: string | null = null;
	let active: string[] = [];
	const left: string[] = [];
	let points: Point[] = [];
	let count = 0;
	const write = (type: string, fields: Json, parentUuid: string | null = leaf): string => {
		const uuid = uuidOf(++count);
		const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString();
		lines.push(JSON.stringify({ parentUuid, ...BASE, type, ...fields, uuid, timestamp }));
		return uuid;
	};
	const user = (content: unknown, fields: Json = {}, parent?: string): string =>
		write("user", { message: { role: "user", content }, ...fields }, parent);
	const assistant = (id: string, block: Json): string =>
		write("assistant", { message: { id, role: "assistant", content: [block] } });
	const name = (): string => {
		const made = `name${count + 1}x`;
		active.push(made);
		return made;
	};
	const ask = (promptSource = "typed", more: Partial<Point> = {}): void => {
		points.push({ parent: leaf, names: active.length, ...more });
		leaf = user(`Never touch ${name()}.`, { promptSource });
	};
	const answer = (): void => {
		leaf = assistant(`msg_${count}`, { type: "text", text: `I looked at ${name()}.` });
	};
	const call = (id: string): { tool: string; line: string } => {
		const tool = `toolu_${count}`;
		leaf = assistant(id, { type: "tool_use", id: tool, name: "Bash", input: { command: `run ${name()}` } });
		return { tool, line: leaf };
	};
	const result = ({ tool, line }: ReturnType<typeof call>, content: string, failed: boolean): string => {
		const block = { type: "tool_result", tool_use_id: tool, content, ...(failed && { is_error: true }) };
		return user([block], { toolUseResult: "x", sourceToolAssistantUUID: line }, line);
	};
	const calls = (howMany: number, order: number, late: boolean, failed: boolean): void => {
		const id = `msg_${count}`;
		const rest = Array.from({ length: howMany }, () => call(id));
		// results come in any order, each on its own call
		const results: string[] = [];
		for (let at = order; rest.length > 0; at = (at * 7 + 3) % 24) {
			const [one] = rest.splice(at % rest.length, 1);
			results.push(result(one!, `saw ${name()}`, failed));
		}
		leaf = late ? results.at(-1)! : results[0]!;
	};
	const interrupted = (running: ReturnType<typeof call>[]): void => {
		for (const one of running) leaf = result(one, "The tool use was rejected", true);
		leaf = user([{ type: "text", text: "[Request interrupted by user for tool use]" }]);
	};
	// as recorded with 2.1.330: the first hangs on the last line before, each other on the one before it; the answer on the results
	const send = ({ queued, calls: howMany, ended, behind, back }: Sending): void => {
		const id = `msg_${count}`;
		const running = Array.from({ length: howMany }, () => call(id));
		for (const one of running.splice(0, Math.min(ended, howMany - 1))) leaf = result(one, `saw ${name()}`, false);
		if (behind) interrupted(running);
		const first: Point = { parent: leaf, names: active.length };
		for (let i = 0; i < queued; i++) ask("queued", { isBeside: true });
		if (!behind) interrupted(running);
		if (back) goBack(first, points.length - queued);
		else answer();
	};
	const goBack = ({ parent, names }: Point, at: number): void => {
		points = points.slice(0, at);
		left.push(...active.slice(names));
		active = active.slice(0, names);
		leaf = parent;
		// seen by the prompt that follows
		ask();
	};
	const boundary = (parent: string | null, compactMetadata: Json = {}): string =>
		write("system", { subtype: "compact_boundary", logicalParentUuid: parent, compactMetadata }, null);
	const summary = (parent: string): string => user("Summary.", { isCompactSummary: true }, parent);
	/**
	 * A part is summarised, as recorded with 2.1.330 and 2.1.332: the boundary names the last message of the first part, and what stays
	 * is not written again. What follows hangs on the hooks' records; only who goes back behind all that stays hangs on the summary.
	 */
	const sumUp = (direction: "from here" | "up to here", at: number): void => {
		const point = points[at];
		if (!point?.parent || point.isBeside) return;
		const [anchorUuid, tailUuid] =
			direction === "from here" ? [uuidOf(count + 1), point.parent] : [uuidOf(count + 2), leaf];
		const made = summary(boundary(point.parent, { preservedSegment: { anchorUuid, tailUuid } }));
		leaf = write("attachment", { attachment: { type: "hook_success" } }, made);
		points = direction === "from here" ? points.slice(0, at) : [{ ...point, parent: made }, ...points.slice(at + 1)];
	};
	for (const step of what) {
		if (leaf === null && step.do !== "ask") ask();
		if (step.do === "ask") ask();
		if (step.do === "answer") answer();
		if (step.do === "calls") calls(step.count, step.order, step.late, false);
		if (step.do === "fail") calls(1, 0, true, true);
		if (step.do === "send") send(step);
		if (step.do === "progress")
			leaf = write("progress", { data: { type: "hook_progress", message: { uuid: "x", type: "user" } } });
		if (step.do === "side") user("Never touch sidechains.", { isSidechain: true });
		if (step.do === "lose") leaf = uuidOf(0xdead);
		if (step.do === "compact") leaf = summary(boundary(leaf));
		if (step.do === "from here" || step.do === "up to here") sumUp(step.do, step.to % Math.max(1, points.length));
		if (step.do === "rewind" && points.length > 0) {
			const at = step.to % points.length;
			goBack(points[at]!, at);
		}
	}
	return { lines, active, left };
}

/** The names that a value holds anywhere. */
export const namesIn = (value: unknown): Set<string> => new Set(JSON.stringify(value).match(/name\d+x/g));

/** The names that the user said, on whichever branch. */
export const saidIn = (lines: readonly string[]): string[] =>
	lines.flatMap((line) => /Never touch (name\d+x)/.exec(line)?.[1] ?? []);
