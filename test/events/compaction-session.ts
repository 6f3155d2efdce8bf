import { beforeEach } from "vitest";
import { exact } from "../../src/core/redact/secrets.ts";
import { preCompact } from "../../src/events/pre-compact.ts";
import { sessionStart } from "../../src/events/session-start.ts";
import { writeToStore } from "../../src/store/database.ts";
import { Transcript } from "../kit/events.ts";
import { gitIn } from "../kit/git.ts";
import { eventSession, given } from "../kit/services.ts";

/** claude-sonnet-4-6 has a window of 200,000: it compacts at 167,000, the marker is due from 130,000. */
export const DUE = 131_000;

/** The session of the test that runs. */
export let at: ReturnType<typeof compactionSession>;

beforeEach(anew);

/** Begins another one within a test. */
export function anew(): void {
	at = compactionSession();
}

function compactionSession() {
	const one = eventSession("compaction");
	return Object.assign(one, {
		git: (...args: string[]) => gitIn(one.project, one.home, args),
		markerPath: () => one.stored.paths.flushFlag,
		/** A transcript with a rule, a rejection, an answer and a task. */
		session: (tokens = DUE) =>
			new Transcript(one.project)
				.typed("Build the cart. Never touch src/legacy.")
				.rejected("Bash", { command: "npm install left-pad" }, "no new dependencies")
				.answered("Which currency?", "Euro only")
				.todos(["Round the totals", "in_progress"])
				.usage(tokens),
		/** PreCompact, then the boundary and the summary in the transcript: a compaction as far as the files show it. */
		compact(transcript: Transcript, fields: Record<string, string> = {}) {
			transcript.write(one.transcript);
			const answer = one.send(preCompact, { trigger: "auto", ...fields });
			transcript.at(one.later(1)).boundary().summary().write(one.transcript);
			return answer;
		},
		/** SessionStart; gives the text for the model. */
		start: (source: string, fields: Record<string, string> = {}) =>
			given(one.send(sessionStart, { source, ...fields })),
		/** Takes what a table holds away. */
		forget: (table: "checkpoints" | "records") =>
			writeToStore(one.stored, (database) => void database.run(`DELETE FROM ${table}`)),
		/** Replaces the JSON of a table's rows. */
		spoil: (table: "checkpoints" | "records", change: (value: string) => string) =>
			writeToStore(one.stored, (database) => {
				for (const [session, value] of database.query(`SELECT session, value FROM ${table}`).values() as string[][])
					database.query(`UPDATE ${table} SET value = ? WHERE session = ?`).run(exact(change(value!)), exact(session!));
			}),
	});
}
