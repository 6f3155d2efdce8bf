/**
 * Makes transcripts with branches, as Claude Code leaves them: rewinds, edited messages, parallel calls whose results hang
 * each on its own call, progress lines in the path (2.1.9 to 2.1.39), lost parents, compactions of all and of a part, forks with another session
 * id. Every text says where it stands: `keep-7` on the active branch, and `gone-7` where it was left.
 */
import fc from "fast-check";

type Json = Record<string, unknown>;

const of = <K extends string>(what: K) => ({ do: fc.constant(what) });
const plain = <K extends string>(weight: number, what: K) => ({ weight, arbitrary: fc.record(of(what)) });

const sending = fc.record({
	...of("send"),
	queued: fc.integer({ min: 1, max: 3 }),
	// parallel calls, and how many of them have ended
	calls: fc.integer({ min: 1, max: 4 }),
	ended: fc.nat(3),
	// written behind the results of the calls, instead of before them
	behind: fc.boolean(),
	back: fc.boolean(),
});
const summing = fc.record({
	do: fc.constantFrom("from here" as const, "up to here" as const),
	to: fc.nat(30),
});
const calling = fc.record({
	...of("calls"),
	count: fc.integer({ min: 1, max: 4 }),
	order: fc.nat(23),
	late: fc.boolean(),
});

/**
 * What happens next; numbers choose among what is there. `send`: queued messages and Esc, they are sent by interrupting calls; with another
 * Esc they are taken back before the answer.
 */
export const steps = fc.array(
	fc.oneof(
		plain(5, "ask"),
		plain(4, "answer"),
		{ weight: 4, arbitrary: calling },
		plain(1, "fail"),
		{ weight: 2, arbitrary: sending },
		plain(2, "progress"),
		plain(1, "side"),
		plain(1, "compact"),
		{ weight: 1, arbitrary: summing },
		{ weight: 3, arbitrary: fc.record({ ...of("rewind"), to: fc.nat(30) }) },
	),
	{ minLength: 1, maxLength: 40 },
);

export type Step = (typeof steps extends fc.Arbitrary<(infer One)[]> ? One : never) | { do: "lose" };
type Sending = Extract<Step, { do: "send" }>;

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

/** Plays the steps. Each text holds a name `nameN` of its own, so that what is injected can be looked for. */
export function grow(what: readonly Step[], { version = "2.1.329" } = {}): Tree {
	const lines: string[] = [];
	let leaf: string | null = null;
	let active: string[] = [];
	const left: string[] = [];
	let points: Point[] = [];
	let count = 0;
	const write = (type: string, fields: Json, parent: string | null = leaf): string => {
		count++;
		const uuid = `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
		const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString();
		lines.push(
			JSON.stringify({
				parentUuid: parent,
				isSidechain: false,
				userType: "external",
				cwd: "/p",
				sessionId: "s",
				version,
				type,
				...fields,
				uuid,
				timestamp,
			}),
		);
		return uuid;
	};
	const name = (): string => {
		const made = `name${count + 1}x`;
		active.push(made);
		return made;
	};
	const ask = (): void => {
		points.push({ parent: leaf, names: active.length });
		leaf = write("user", { message: { role: "user", content: `Never touch ${name()}.` }, promptSource: "typed" });
	};
	const answer = (): void => {
		const text = `I looked at ${name()}.`;
		leaf = write("assistant", {
			message: { id: `msg_${count}`, role: "assistant", content: [{ type: "text", text }] },
		});
	};
	const call = (id: string): { tool: string; line: string } => {
		const tool = { type: "tool_use", id: `toolu_${count}`, name: "Bash", input: { command: `run ${name()}` } };
		leaf = write("assistant", { message: { id, role: "assistant", content: [tool] } });
		return { tool: tool.id, line: leaf };
	};
	const result = ({ tool, line }: ReturnType<typeof call>, content: string, failed: boolean): string => {
		const block = { type: "tool_result", tool_use_id: tool, content, ...(failed && { is_error: true }) };
		const beside = { toolUseResult: "x", sourceToolAssistantUUID: line };
		return write("user", { message: { role: "user", content: [block] }, ...beside }, line);
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
		const text = "[Request interrupted by user for tool use]";
		leaf = write("user", { message: { role: "user", content: [{ type: "text", text }] } });
	};
	// as recorded with 2.1.330: the first hangs on the last line before, each other on the one before it; the answer on the results
	const send = ({ queued, calls: howMany, ended, behind, back }: Sending): void => {
		const id = `msg_${count}`;
		const running = Array.from({ length: howMany }, () => call(id));
		for (const one of running.splice(0, Math.min(ended, howMany - 1))) leaf = result(one, `saw ${name()}`, false);
		if (behind) interrupted(running);
		const first: Point = { parent: leaf, names: active.length };
		for (let i = 0; i < queued; i++) {
			points.push({ parent: leaf, names: active.length, isBeside: true });
			leaf = write("user", {
				message: { role: "user", content: `Never touch ${name()}.` },
				promptSource: "queued",
			});
		}
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
	const summary = (parent: string): string =>
		write("user", { isCompactSummary: true, message: { role: "user", content: "Summary." } }, parent);
	/**
	 * A part is summarised, as recorded with 2.1.330 and 2.1.332: the boundary names the last message of the first part, and what stays
	 * is not written again. What follows hangs on the hooks' records; only who goes back behind all that stays hangs on the summary.
	 */
	const sumUp = (direction: "from here" | "up to here", at: number): void => {
		const point = points[at];
		if (!point?.parent || point.isBeside) return;
		const uuid = (ahead: number): string => `00000000-0000-4000-8000-${String(count + ahead).padStart(12, "0")}`;
		const [anchorUuid, tailUuid] = direction === "from here" ? [uuid(1), point.parent] : [uuid(2), leaf];
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
		if (step.do === "side")
			write("user", { isSidechain: true, message: { role: "user", content: "Never touch sidechains." } });
		if (step.do === "lose") leaf = "00000000-0000-4000-8000-00000000dead";
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
