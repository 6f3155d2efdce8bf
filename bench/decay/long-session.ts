import type { TranscriptEvent } from "../../src/core/transcript/event.ts";
import { at, call, message } from "../../test/kit/session-events.ts";
import words from "./long-session-words.json" with { type: "json" };

/** Words of the made-up sessions; `{file}`, `{name}`, `{tool}` and `{n}` are filled in. No pattern was fitted by those held out. */
const { HELD_OUT, LATER, MOMENTS, PROSE, REQUESTS, RULES, WITHDRAWN } = words;

/** What a made-up session holds between two compactions. */
export interface Segment {
	events: TranscriptEvent[];
	/** Rules that the user laid down in it, word for word. */
	rules: string[];
	/** Rules of any segment that the user took back in it. */
	withdrawn: string[];
}

export interface Shape {
	/** Compactions. */
	segments: number;
	/** Rules laid down in each segment; the first has as many more as `first` says. */
	rules: number;
	first: number;
	/** Messages of the moment in each segment, on average. */
	moments: number;
	/** Share of the rules that stand inside a long message. */
	inLong: number;
	/** The rules by which no pattern was fitted. */
	heldOut?: boolean;
}

export const USUAL: Shape = { segments: 10, rules: 2, first: 4, moments: 14, inLong: 0.3 };

/** A session of many segments: rules, withdrawals, requests with their work, messages of the moment, pastes. The same for the same seed. */
export function longSession(seed: number, shape: Shape = USUAL): Segment[] {
	const random = generator(seed);
	const rules = shuffled(shape.heldOut ? HELD_OUT : RULES, random);
	let laid = 0;
	/** Rules in force that can be taken back, with the words that do. */
	const open: { rule: string; by: string }[] = [];
	return Array.from({ length: shape.segments }, (_, n) => {
		const segment: Segment = { events: [], rules: [], withdrawn: [] };
		const parts: TranscriptEvent[][] = [];
		const count = shape.rules + (n === 0 ? shape.first : 0);
		for (let i = 0; i < count; i++) {
			const rule = filled(rules[laid++ % rules.length]!, random, laid);
			segment.rules.push(rule);
			parts.push([message(random() < shape.inLong ? inLong(rule, random) : inShort(rule, random))]);
		}
		if (random() < 0.4) {
			const [rule, by] = pick(WITHDRAWN, random).map((text) => text.replaceAll("{n}", String(laid + n * 100)));
			open.push({ rule: rule!, by: by! });
			segment.rules.push(rule!);
			parts.push([message(rule!)]);
		}
		const moments = Math.round(shape.moments * (0.5 + random()));
		for (let i = 0; i < moments; i++) parts.push([message(filled(pick(MOMENTS, random), random, i))]);
		const requests = 2 + Math.floor(random() * 4);
		for (let i = 0; i < requests; i++) parts.push(asked(random, n * 10 + i));
		if (random() < 0.5) parts.push([message(`${pick(REQUESTS, random)}\n${pasted(random)}`)]);
		segment.events = shuffled(parts, random).flat();
		const back = open.findIndex(({ rule }) => !segment.rules.includes(rule));
		if (back >= 0 && random() < 0.7) {
			const { rule, by } = open.splice(back, 1)[0]!;
			segment.withdrawn.push(rule);
			segment.events.push(message(by));
		}
		segment.events.push(...asked(random, n * 10 + 9));
		return segment;
	});
}

/** A request and the work that followed. */
function asked(random: () => number, n: number): TranscriptEvent[] {
	const file = `src/${pick(NAMES, random)}-${n}.ts`;
	const events: TranscriptEvent[] = [message(filled(pick(REQUESTS, random), random, n))];
	events.push({ kind: "said", at, text: filled(pick(PROSE, random), random, n) });
	for (let i = 0; i < 1 + random() * 3; i++) {
		events.push(...call("Read", { file_path: `/p/${file}` }));
		events.push(
			...call("Edit", { file_path: `/p/${file}`, new_string: `export function ${camel(file)}Step${i}() {}` }),
		);
	}
	if (random() < 0.6) events.push(...call("Bash", { command: `npm test -- ${file}` }, " Tests  14 passed (14)"));
	if (random() < 0.5) {
		const hash = Math.floor(random() * 0xfffffff)
			.toString(16)
			.padStart(7, "0");
		events.push(...call("Bash", { command: `git commit -qam 'Change ${file}'` }, `[main ${hash}] Change ${file}`));
	}
	if (random() < 0.2)
		events.push(...call("Bash", { command: `make ${n}` }, `Exit code 2\nno rule for target ${n}`, true));
	events.push({ kind: "said", at, text: filled(pick(PROSE, random), random, n + 7) });
	return events;
}

const inShort = (rule: string, random: () => number): string =>
	random() < 0.5 ? rule : `${filled(pick(LATER, random), random, 3)} ${rule}`;

/** A rule in the middle of a message of 1,000 to 5,000 characters. */
function inLong(rule: string, random: () => number): string {
	const lines = Array.from({ length: 8 + Math.floor(random() * 30) }, (_, i) => filled(pick(PROSE, random), random, i));
	lines.splice(1 + Math.floor(random() * (lines.length - 1)), 0, rule);
	return `${filled(pick(REQUESTS, random), random, 5)} ${lines.join(random() < 0.5 ? "\n\n" : " ")}`;
}

const pasted = (random: () => number): string =>
	Array.from(
		{ length: 20 + Math.floor(random() * 120) },
		(_, i) =>
			`2026-11-21 02:00:${String(i % 60).padStart(2, "0")} INFO worker ${i} must never see value ${Math.floor(random() * 1e6)}`,
	).join("\n");

const NAMES =
	"ledger parser importer queue mailer report cache router billing search upload export widget planner".split(" ");
const TOOLS = "npm yarn pnpm make bazel gradle cargo poetry docker helm terraform vite jest mocha".split(" ");

const filled = (text: string, random: () => number, n: number): string =>
	text
		.replaceAll("{file}", () => `src/${pick(NAMES, random)}${n}.ts`)
		.replaceAll("{name}", () => `${pick(NAMES, random)}_${n}`)
		.replaceAll("{tool}", () => pick(TOOLS, random))
		.replaceAll("{n}", String(n));

const camel = (file: string): string => file.replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase());
export const pick = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)]!;

function shuffled<T>(list: readonly T[], random: () => number): T[] {
	const result = [...list];
	for (let i = result.length - 1; i > 0; i--) {
		const j = Math.floor(random() * (i + 1));
		[result[i], result[j]] = [result[j]!, result[i]!];
	}
	return result;
}

/** Mulberry32: numbers from 0 to 1, the same for the same seed. */
export function generator(seed: number): () => number {
	let a = seed >>> 0;
	return () => {
		a = (a + 0x6d2b79f5) >>> 0;
		let t = Math.imul(a ^ (a >>> 15), a | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
	};
}
