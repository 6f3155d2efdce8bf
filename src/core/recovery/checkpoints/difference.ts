import type { SessionState } from "../../state/session-state.ts";
import { cut, grouped, oneLine } from "../../text/text.ts";
import type { Checkpoint } from "../checkpoint.ts";
import { foreign, oneQuote } from "../item-text.ts";
import { documentState, memoryName } from "./document-state.ts";

/** What changed from one checkpoint to another, in words: one line each, by subject. */
export interface Change {
	about: string;
	says: string;
}

const LISTED = 12;

export function differences(before: Checkpoint, after: Checkpoint): Change[] {
	const [a, b] = [before.state, after.state];
	return [
		...words(
			"message of the user",
			a.messages,
			b.messages,
			({ at, text }) => `${at} ${text}`,
			({ text }) => said(text),
		),
		...words("decision", a.decisions, b.decisions, key, ({ kind, subject }) => `${kind}: ${foreign(short(subject))}`),
		...plan(a, b),
		...tasks(a, b),
		...files(a, b),
		...words(
			"commit",
			a.commits,
			b.commits,
			({ hash }) => hash,
			({ hash, subject }) => `${hash} ${foreign(short(subject))}`,
		),
		...words(
			"check",
			a.checks,
			b.checks,
			key,
			({ kind, command, result }) => `${kind} ${result}: ${foreign(short(command))}`,
		),
		...words("failure", a.failures, b.failures, key, ({ subject }) => foreign(short(subject))),
		...resolved(a, b),
		...words("open question", a.questions, b.questions, key, ({ text }) => foreign(short(text))),
		...words(
			"running task",
			a.backgroundTasks,
			b.backgroundTasks,
			({ id }) => id,
			({ what }) => foreign(short(what)),
		),
		...workspace(before, after),
		...words("memory", before.memories ?? [], after.memories ?? [], memoryName, memoryName),
		...fields(before, after),
	];
}

const key = (one: object): string => JSON.stringify(one);
const short = (text: string): string => cut(oneLine(text), 160);
const said = (text: string): string => oneQuote(short(text));

/** What came and what went, each named. */
function words<T>(
	about: string,
	before: readonly T[],
	after: readonly T[],
	id: (one: T) => string,
	text: (one: T) => string,
): Change[] {
	const [had, has] = [new Set(before.map(id)), new Set(after.map(id))];
	const changes = [
		...after.filter((one) => !had.has(id(one))).map((one) => `new: ${text(one)}`),
		...before.filter((one) => !has.has(id(one))).map((one) => `no longer there: ${text(one)}`),
	];
	const left = changes.length - LISTED;
	return [
		...changes.slice(0, LISTED).map((says) => ({ about, says })),
		...(left > 0 ? [{ about, says: `and ${left} more` }] : []),
	];
}

function plan({ plan: a }: SessionState, { plan: b }: SessionState): Change[] {
	if (a?.text === b?.text) {
		if (!a || !b || a.approved === b.approved) return [];
		return [{ about: "plan", says: b.approved ? "approved" : "no longer approved" }];
	}
	const how = b?.approved ? "approved" : "not approved";
	if (!b) return [{ about: "plan", says: "no longer there" }];
	return [{ about: "plan", says: `${a ? "another one" : "new"}, ${how}: ${foreign(short(b.text))}` }];
}

function tasks(a: SessionState, b: SessionState): Change[] {
	const before = new Map(a.tasks.map((one) => [one.id, one]));
	const moved = b.tasks.flatMap(({ id, subject, status }) => {
		const was = before.get(id);
		return was && was.status !== status
			? [{ about: "task", says: `${foreign(short(subject))}: ${was.status}, now ${status}` }]
			: [];
	});
	return [
		...words(
			"task",
			a.tasks,
			b.tasks,
			({ id }) => id,
			({ subject, status }) => `${foreign(short(subject))} (${status})`,
		),
		...moved,
	];
}

function files(a: SessionState, b: SessionState): Change[] {
	const before = new Map(a.files.map(({ path, edits }) => [path, edits]));
	return b.files
		.flatMap(({ path, edits }) => {
			const more = edits - (before.get(path) ?? 0);
			return more > 0
				? [{ about: "file", says: `${foreign(path)} edited ${more === 1 ? "once" : `${more} times`}` }]
				: [];
		})
		.slice(-LISTED);
}

function resolved(a: SessionState, b: SessionState): Change[] {
	const open = new Set(a.failures.filter((one) => !one.resolved).map(({ subject }) => subject));
	return b.failures.flatMap(({ subject, resolved: is }) =>
		is && open.has(subject) ? [{ about: "failure", says: `resolved: ${foreign(short(subject))}` }] : [],
	);
}

function workspace({ workspace: a }: Checkpoint, { workspace: b }: Checkpoint): Change[] {
	if (!a || !b) return a === b ? [] : [{ about: "workspace", says: b ? "seen now" : "not seen any more" }];
	const branch =
		a.branch === b.branch ? [] : [{ about: "branch", says: `${foreign(a.branch)}, now ${foreign(b.branch)}` }];
	return branch;
}

const COUNTED = ["active_phase", "phase_progress", "next_action", "tests_passing"];

function fields(before: Checkpoint, after: Checkpoint): Change[] {
	const [a, b] = [documentState(before).fields, documentState(after).fields];
	const told = COUNTED.filter((name) => a[name] !== b[name]).map((name) => ({
		about: name.replace(/_/g, " "),
		says: `${shownValue(a[name])}, now ${shownValue(b[name])}`,
	}));
	const [from, to] = [before.state.tokens, after.state.tokens];
	if (from !== to)
		told.push({
			about: "tokens",
			says: `${from === null ? "unknown" : grouped(from)}, now ${to === null ? "unknown" : grouped(to)}`,
		});
	return told;
}

const shownValue = (value: unknown): string =>
	value === null ? "unknown" : typeof value === "string" ? foreign(short(value)) : String(value);
