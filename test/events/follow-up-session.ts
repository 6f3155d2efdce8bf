import { join } from "node:path";
import { beforeEach, expect } from "vitest";
import { postCompact } from "../../src/events/post-compact.ts";
import { preCompact } from "../../src/events/pre-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import type { EventHandler } from "../../src/events/run/event.ts";
import { sessionStart } from "../../src/events/session-start.ts";
import { userPromptSubmit } from "../../src/events/user-prompt-submit.ts";
import { Transcript } from "../kit/events.ts";
import { linesOf, listing } from "../kit/sandbox.ts";
import { type EventSession, eventSession } from "../kit/services.ts";

export const MAX_CHARS = 8_000;
export const REQUEST = "Now finish the release notes.";
export const SUMMARY = "Work on the modules went on; see the notes.";

/** A session whose state is far larger than the budget. Each event gives the text for the model. */
export interface TwoPartSession extends EventSession {
	pre(): string | null;
	start(source?: string): string | null;
	post(summary?: string): string | null;
	toolCall(): string | null;
	prompt(): string | null;
	session(size?: number): Transcript;
	/** The compaction as the transcript shows it. */
	compacted(transcript: Transcript, summary?: string | null): void;
	/** A session, PreCompact and the compaction in the transcript. */
	compaction(summary?: string | null): Transcript;
	markerPath(): string;
	logLines(): string[];
}

/** The session of the test that runs. */
export let at: TwoPartSession;

beforeEach(() => {
	at = twoPartSession();
});

/** Begins another one within a test. */
export function anew(maxChars = MAX_CHARS): void {
	at = twoPartSession(maxChars);
}

function twoPartSession(maxChars = MAX_CHARS): TwoPartSession {
	const at = eventSession("two-parts");
	at.configure({ recovery: { maxChars } });
	const send = (handler: EventHandler, fields: Record<string, string> = {}): string | null => {
		at.later(1 / 30);
		const answer = at.send(handler, fields);
		return answer === null || handler === preCompact
			? null
			: (JSON.parse(answer).hookSpecificOutput?.additionalContext ?? null);
	};
	const compacted = (transcript: Transcript, summary: string | null = SUMMARY): void => {
		transcript.at(at.later(1 / 30)).boundary();
		if (summary !== null) transcript.summary(summary);
		transcript.write(at.transcript);
	};
	const pre = (): string | null => send(preCompact, { trigger: "auto" });
	return Object.assign(at, {
		pre,
		start: (source = "compact") => send(sessionStart, { source }),
		post: (compact_summary = SUMMARY) => send(postCompact, { trigger: "auto", compact_summary }),
		toolCall: () => send(preToolUse, { tool_name: "Bash" }),
		prompt: () => send(userPromptSubmit),
		session: (size = 120) => session(at.project, size),
		compacted,
		compaction(summary?: string | null) {
			const transcript = session(at.project, 120);
			transcript.write(at.transcript);
			pre();
			compacted(transcript, summary);
			return transcript;
		},
		markerPath: () => at.stored.paths.followUpMarker,
		logLines: () => logLines(at.store),
	});
}

function session(project: string, size: number): Transcript {
	const transcript = new Transcript(project);
	for (let i = 0; i < size; i++) {
		transcript.typed(`Never do thing number ${i}. ${"Details follow here. ".repeat(i % 12)}`);
		transcript.call("Edit", { file_path: `${project}/src/module-${i}/index.ts`, new_string: `render_${i}_x` }, "ok");
	}
	for (let i = 0; i < FOUND; i++)
		transcript.said(
			`The release of module-${i} fails because parser_${i}.ts reads token_${i * 7} twice, so notes-${i}.md was put off. ` +
				`reader_${i}.c holds lock_${i * 3} until build-${i}.sh has ended, which run_${i * 5}.log shows.`,
		);
	return transcript.typed(REQUEST).said("I begin with them.");
}

/** More than the recovery block takes of what the agent found. */
const FOUND = 12;

const logLines = (store: string): string[] =>
	listing(join(store, "projects"), "")
		.filter((file) => /\/log\/\d{4}-\d\d-\d\d\.md$/.test(file))
		.flatMap(linesOf)
		.filter((line) => line.includes("characters were injected"));

/** The items of a given text, each with its section. */
export function itemsOf(text: string): string[] {
	return text
		.replace(/\n\nMore: .*$/, "")
		.split("\n## ")
		.slice(1)
		.flatMap((section) => {
			const [title, ...lines] = section.split("\n");
			const name = title!.replace(/ \(\d+ more in the checkpoint\)$/, "");
			return lines.filter(Boolean).map((item) => `${name}: ${item}`);
		});
}

export const doubles = (items: string[]): string[] => items.filter((item, i) => items.indexOf(item) !== i);

/** Both parts are there, they fit together, and nothing stands in both. */
export function expectTwoParts({ failures }: TwoPartSession, first: string | null, second: string | null): void {
	expect(first).toMatch(/^ccg recovery precompact_checkpoint_\d{8}_\d{6}: /);
	expect(second).toMatch(/^ccg recovery precompact_checkpoint_\d{8}_\d{6}, continued: /);
	expect(first).toContain(`> ${REQUEST}`);
	expect(first!.length + second!.length).toBeLessThanOrEqual(MAX_CHARS);
	expect(itemsOf(second!).length).toBeGreaterThan(3);
	expect(doubles([...itemsOf(first!), ...itemsOf(second!)])).toEqual([]);
	expect(failures).toEqual([]);
}
