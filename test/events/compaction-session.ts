import { Database } from "bun:sqlite";
import { beforeEach } from "vitest";
import { preCompact } from "../../src/events/pre-compact.ts";
import { sessionStart } from "../../src/events/session-start.ts";
import { databasePath } from "../../src/store/paths.ts";
import { Transcript } from "../kit/events.ts";
import { gitIn } from "../kit/git.ts";
import { type EventSession, eventSession, given } from "../kit/services.ts";

/** claude-sonnet-4-6 has a window of 200,000: it compacts at 167,000, the marker is due from 130,000. */
export const DUE = 131_000;

export interface CompactionSession extends EventSession {
	git(...args: string[]): string;
	markerPath(): string;
	/** A transcript with a rule, a rejection, an answer and a task. */
	session(tokens?: number): Transcript;
	/** PreCompact, then the boundary and the summary in the transcript: a compaction as far as the files show it. */
	compact(transcript: Transcript, fields?: Record<string, string>): string | null;
	/** SessionStart; gives the text for the model. */
	start(source: string, fields?: Record<string, string>): string | null;
	/** Replaces the saved checkpoint's JSON. */
	spoil(change: (checkpoint: object) => object | null): void;
}

/** The session of the test that runs. */
export let at: CompactionSession;

beforeEach(anew);

/** Begins another one within a test. */
export function anew(): void {
	at = compactionSession();
}

function compactionSession(): CompactionSession {
	const at: CompactionSession = Object.assign(eventSession("compaction"), {
		git: (...args: string[]) => gitIn(at.project, at.home, args),
		markerPath: () => at.stored.paths.marker,
		session: (tokens = DUE) => session(at.project, tokens),
		compact(transcript: Transcript, fields: Record<string, string> = {}) {
			transcript.write(at.transcript);
			const answer = at.send(preCompact, { trigger: "auto", ...fields });
			at.later(1);
			transcript.at(at.now).boundary().summary().write(at.transcript);
			return answer;
		},
		start: (source: string, fields = {}) => given(at.send(sessionStart, { source, ...fields })),
		spoil: (change: (checkpoint: object) => object | null) => spoil(at, change),
	});
	return at;
}

const session = (project: string, tokens: number): Transcript =>
	new Transcript(project)
		.typed("Build the cart. Never touch src/legacy.")
		.rejected("Bash", { command: "npm install left-pad" }, "no new dependencies")
		.answered("Which currency?", "Euro only")
		.todos(["Round the totals", "in_progress"])
		.usage(tokens);

function spoil({ store }: EventSession, change: (checkpoint: object) => object | null): void {
	const database = new Database(databasePath(store));
	const rows = database.query("SELECT id, value FROM checkpoints").values() as [number, string][];
	for (const [id, value] of rows) {
		const made = change(JSON.parse(value));
		database.query("UPDATE checkpoints SET value = ? WHERE id = ?").run(made ? JSON.stringify(made) : "", id);
	}
	database.close();
}
