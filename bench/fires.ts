/**
 * How often does each heuristic change what is told? Plays every transcript of a folder into the record, and makes the block of each
 * compaction. What changes nothing has to go; whether the rest is right is for a reader to judge (`--show` prints each place).
 *
 *   npx bun bench/fires.ts [--data DIR] [--show]     DIR: *.jsonl or *.jsonl.gz; the project's own recordings without it
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readTranscript } from "../src/claude/transcript/read-transcript.ts";
import type { Item } from "../src/core/block/item.ts";
import { earlierRequest, USERS_WORDS_CHARS, usersWordsItems } from "../src/core/block/said.ts";
import { sectionFacts } from "../src/core/block/situation.ts";
import { applyToState } from "../src/core/state/apply.ts";
import { emptyState, type SessionState } from "../src/core/state/session-state.ts";
import type { TranscriptEvent } from "../src/core/transcript/event.ts";
import { transcriptsIn } from "./transcripts.ts";

const { values } = parseArgs({ options: { data: { type: "string" }, show: { type: "boolean" } } });
const folder = resolve(values.data ?? join(import.meta.dirname, "fidelity"));
const scratch = mkdtempSync(join(tmpdir(), "ccg-fires-"));

const HEURISTICS = {
	"a short request is told with what it answers": "compactions",
	"words that last give an older message room": "compactions",
} as const;
type Heuristic = keyof typeof HEURISTICS;

const fired = new Map<Heuristic, { times: number; sessions: Set<string> }>();
const counted: Record<string, number> = { sessions: 0, compactions: 0, calls: 0 };

function fire(name: Heuristic, session: string, what: string): void {
	const one = fired.get(name) ?? { times: 0, sessions: new Set() };
	one.times++;
	one.sessions.add(session);
	fired.set(name, one);
	if (values.show) console.log(`${session.slice(0, 8)} ${name}: ${what.replace(/\s+/g, " ").slice(0, 200)}`);
}

try {
	for (const { name, bytes } of transcriptsIn(folder)) {
		const path = join(scratch, "transcript.jsonl");
		writeFileSync(path, bytes);
		const state = emptyState();
		counted.sessions!++;
		const events: TranscriptEvent[] = [];
		readTranscript(path, null, () => (line) => void events.push(...line.events), { maxBytes: Infinity });
		for (const event of events) take(state, event, name);
	}
} finally {
	rmSync(scratch, { recursive: true });
}
console.log(`${counted.sessions} sessions, ${counted.compactions} compactions, ${counted.calls} calls\n`);
for (const [name, of] of Object.entries(HEURISTICS)) {
	const { times = 0, sessions } = fired.get(name as Heuristic) ?? {};
	console.log(
		`${name.padEnd(52)}${String(times).padStart(6)} of ${counted[of]} ${of}, in ${sessions?.size ?? 0} sessions`,
	);
}

/** Applies an event, and looks at what it changed. */
function take(state: SessionState, event: TranscriptEvent, session: string): void {
	if (event.kind === "boundary") atCompaction(state, session);
	const call = event.kind === "result" ? state.open[event.id] : undefined;
	if (call) counted.calls!++;
	applyToState(state, event);
}

function atCompaction(state: SessionState, session: string): void {
	counted.compactions!++;
	const of = sectionFacts({ state: structuredClone(state), workspace: null });
	const earlier = earlierRequest(of);
	if (earlier)
		fire("a short request is told with what it answers", session, `${of.request?.text} BEHIND ${earlier.text}`);
	const items = usersWordsItems(of, USERS_WORDS_CHARS);
	const byAge = fitting(items.toSorted((a, b) => b.order - a.order));
	for (const item of fitting(items))
		if (!byAge.has(item)) fire("words that last give an older message room", session, item.text);
}

/** The items that find room, in this order. */
function fitting(items: readonly Item[]): Set<Item> {
	let left = USERS_WORDS_CHARS;
	return new Set(
		items.filter(({ text: { length } }) => {
			if (length + 1 > left) return false;
			left -= length + 1;
			return true;
		}),
	);
}
