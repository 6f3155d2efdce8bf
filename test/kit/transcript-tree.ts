/**
 * Makes transcripts with branches, as Claude Code leaves them: rewinds, edited messages, parallel calls whose results hang
 * each on its own call, progress lines in the path (2.1.9 to 2.1.39), lost parents, compactions, forks with another session
 * id. Every text says where it stands: `keep-7` on the active branch, and `gone-7` where it was left.
 */
import fc from "fast-check";

type Json = Record<string, unknown>;

/** What happens next; numbers choose among what is there. */
export type Step =
	| { do: "ask" }
	| { do: "answer" }
	| { do: "calls"; count: number; order: number; late: boolean }
	| { do: "fail" }
	| { do: "interrupt" }
	| { do: "progress" }
	| { do: "side" }
	| { do: "lose" }
	| { do: "compact" }
	| { do: "rewind"; to: number };

export const steps: fc.Arbitrary<Step[]> = fc.array(
	fc.oneof(
		{ weight: 5, arbitrary: fc.constant<Step>({ do: "ask" }) },
		{ weight: 4, arbitrary: fc.constant<Step>({ do: "answer" }) },
		{
			weight: 4,
			arbitrary: fc.record({
				do: fc.constant("calls" as const),
				count: fc.integer({ min: 1, max: 4 }),
				order: fc.nat(23),
				late: fc.boolean(),
			}),
		},
		{ weight: 1, arbitrary: fc.constant<Step>({ do: "fail" }) },
		{ weight: 1, arbitrary: fc.constant<Step>({ do: "interrupt" }) },
		{ weight: 2, arbitrary: fc.constant<Step>({ do: "progress" }) },
		{ weight: 1, arbitrary: fc.constant<Step>({ do: "side" }) },
		{ weight: 1, arbitrary: fc.constant<Step>({ do: "compact" }) },
		{ weight: 3, arbitrary: fc.record({ do: fc.constant("rewind" as const), to: fc.nat(30) }) },
	),
	{ minLength: 1, maxLength: 40 },
);

interface Point {
	/** The line that a new prompt hangs on. */
	parent: string | null;
	/** How many names were in use then. */
	names: number;
}

export interface Tree {
	/** Lines as in the file. */
	lines: string[];
	/** Names said on the active branch and on those that were left. */
	active: string[];
	left: string[];
}

/** Plays the steps. Each text holds a name `nameN` of its own, so that what is given back can be looked for. */
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
	const calls = (howMany: number, order: number, late: boolean, failed: boolean): void => {
		const id = `msg_${count}`;
		const made = Array.from({ length: howMany }, () => {
			const command = `run ${name()}`;
			const tool = { type: "tool_use", id: `toolu_${count}`, name: "Bash", input: { command } };
			leaf = write("assistant", { message: { id, role: "assistant", content: [tool] } });
			return { tool: tool.id, line: leaf };
		});
		// results come in any order, each on its own call
		const rest = [...made];
		const results: string[] = [];
		for (let at = order; rest.length > 0; at = (at * 7 + 3) % 24) {
			const [{ tool, line }] = rest.splice(at % rest.length, 1) as [(typeof made)[0]];
			const content = [
				{ type: "tool_result", tool_use_id: tool, content: `saw ${name()}`, ...(failed && { is_error: true }) },
			];
			results.push(
				write("user", { message: { role: "user", content }, toolUseResult: "x", sourceToolAssistantUUID: line }, line),
			);
		}
		leaf = late ? results.at(-1)! : results[0]!;
	};
	// a queued message sent by Esc is written before the result of the call it interrupts, and hangs on the call as well
	const interrupt = (): void => {
		const tool = { type: "tool_use", id: `toolu_${count}`, name: "Bash", input: { command: `run ${name()}` } };
		const call = write("assistant", { message: { id: `msg_${count}`, role: "assistant", content: [tool] } });
		write("user", { message: { role: "user", content: `Never touch ${name()}.` }, promptSource: "queued" }, call);
		const content = [
			{ type: "tool_result", tool_use_id: tool.id, content: "The tool use was rejected", is_error: true },
		];
		const result = write("user", { message: { role: "user", content } }, call);
		const text = "[Request interrupted by user for tool use]";
		leaf = write("user", { message: { role: "user", content: [{ type: "text", text }] } }, result);
		answer();
	};
	for (const step of what) {
		if (leaf === null && step.do !== "ask") ask();
		if (step.do === "ask") ask();
		if (step.do === "answer") answer();
		if (step.do === "calls") calls(step.count, step.order, step.late, false);
		if (step.do === "fail") calls(1, 0, true, true);
		if (step.do === "interrupt") interrupt();
		if (step.do === "progress")
			leaf = write("progress", { data: { type: "hook_progress", message: { uuid: "x", type: "user" } } });
		if (step.do === "side")
			write("user", { isSidechain: true, message: { role: "user", content: "Never touch sidechains." } });
		if (step.do === "lose") leaf = "00000000-0000-4000-8000-00000000dead";
		if (step.do === "compact") {
			leaf = write("system", { subtype: "compact_boundary", logicalParentUuid: leaf, compactMetadata: {} }, null);
			leaf = write("user", { isCompactSummary: true, message: { role: "user", content: "Summary." } });
		}
		if (step.do === "rewind" && points.length > 0) {
			const at = step.to % points.length;
			const { parent, names } = points[at]!;
			points = points.slice(0, at);
			left.push(...active.slice(names));
			active = active.slice(0, names);
			leaf = parent;
			// a rewind is seen by the prompt that follows
			ask();
		}
	}
	return { lines, active, left };
}
