/**
 * What is left of a short dialogue after three compactions in a row whose summaries keep little, and whether a decision that was
 * replaced is still given as one. Plays the dialogues of CompactBench through the registered commands, as `bench:fidelity` does: each
 * by itself, and those of one seed as one session.
 *
 *   npm run bench:compactbench -- --data FOLDER [--family NAME] [--seeds 11,12] [--misses] [--check]
 *
 * FOLDER holds `dialogues.json`; none is part of this project. --misses prints what is not there, and what is wrong with its text;
 * --check ends 1 where anything is.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sentenceSpans } from "../src/core/text/sentences.ts";
import { normalise } from "../src/core/text/text.ts";
import { type Compaction, injected, replayer } from "./fidelity/replay.ts";

interface Dialogue {
	template: string;
	family: string;
	seed: number;
	turns: { role: "user" | "assistant"; text: string }[];
	items: { check: "contains_normalized" | "forbidden_absent"; value: string; type: string }[];
}

const { values } = parseArgs({
	options: {
		data: { type: "string" },
		family: { type: "string" },
		seeds: { type: "string" },
		misses: { type: "boolean" },
		check: { type: "boolean" },
	},
});
if (!values.data) throw new Error("--data FOLDER: where dialogues.json lies");
const CYCLES = 3;
/** What says of a decision, in the line where it stands, that another took its place. */
const MARK = /\buntil \d|\breplaced by\b|\bthe user later said\b/;

const whole: Dialogue[] = JSON.parse(readFileSync(join(values.data, "dialogues.json"), "utf8"));
const dialogues = whole.filter(
	({ family, seed }) =>
		(!values.family || family === values.family) && (!values.seeds || values.seeds.split(",").includes(String(seed))),
);
const summaries: Record<string, (said: readonly string[]) => string> = {
	"one line": () => "The user and the assistant talked about the project.",
	"first 30 %": (said) => said.slice(0, Math.ceil(said.length * 0.3)).join(" "),
};
const root = realpathSync(mkdtempSync(join(tmpdir(), "ccg-compactbench-")));

try {
	const replay = replayer(root);
	let failed = 0;
	console.log(`${"".padEnd(34)}${"contains, by compaction".padEnd(28)}replaced wrong, by compaction   median / most`);
	for (const [kind, sessions] of Object.entries({ each: dialogues.map((one) => [one]), many: bySeed(dialogues) }))
		for (const [name, summaryOf] of Object.entries(summaries)) {
			const cycles = Array.from({ length: CYCLES }, () => ({
				...{ found: 0, all: 0, wrong: 0, chars: [] as number[] },
			}));
			const replaced = sessions.filter((session) => replacedIn(session).length > 0).length;
			for (const [n, session] of sessions.entries())
				for (const [i, { summary, given }] of played(session, `${kind}-${name}-${n}`, summaryOf, replay).entries()) {
					const missing = wantedOf(session).filter((one) => !holds(`${summary}\n${given}`, one));
					const wrong = replacedIn(session).filter((one) => isWrong(one, summary, given));
					const cycle = cycles[i]!;
					cycle.all += wantedOf(session).length;
					cycle.found += wantedOf(session).length - missing.length;
					cycle.wrong += wrong.length > 0 ? 1 : 0;
					cycle.chars.push(given.length);
					failed += missing.length + wrong.length;
					if (values.misses && missing.length + wrong.length > 0)
						console.log(nameOf(session), name, i + 1, { missing, wrong }, wrong.length > 0 ? `\n${given}\n` : "");
				}
			const sizes = cycles.flatMap(({ chars }) => chars).toSorted((a, b) => a - b);
			const contains = cycles.map(({ found, all }) => (found / all).toFixed(3)).join("  ");
			const wrongs = `${cycles.map(({ wrong }) => wrong).join("  ")} of ${replaced}`;
			console.log(
				`${`${sessions.length} sessions (${kind}), ${name}`.padEnd(34)}${contains.padEnd(28)}${wrongs.padEnd(32)}${sizes[sizes.length >> 1]} / ${sizes.at(-1)}`,
			);
		}
	if (values.check && failed > 0) process.exitCode = 1;
} finally {
	rmSync(root, { recursive: true, force: true });
}

function bySeed(all: readonly Dialogue[]): Dialogue[][] {
	return [...Map.groupBy(all, ({ seed }) => seed).values()];
}
function nameOf(session: readonly Dialogue[]): string {
	const [{ template, seed }] = session as [Dialogue];
	return session.length > 1 ? `seed ${seed}` : `${template} ${seed}`;
}

/** What the model has after each compaction. */
function played(
	session: readonly Dialogue[],
	name: string,
	summaryOf: (said: readonly string[]) => string,
	replay: ReturnType<typeof replayer>,
): { summary: string; given: string }[] {
	const transcript = transcriptOf(name);
	for (const { role, text } of session.flatMap(({ turns }) => turns)) transcript.say(role, text);
	const summary = summaryOf(
		session.flatMap(({ turns }) =>
			turns.flatMap(({ text }) => sentenceSpans(text).map(({ start, end }) => text.slice(start, end))),
		),
	);
	return Array.from({ length: CYCLES }, () => {
		const before = transcript.lines.length;
		transcript.compact(summary);
		const one: Compaction = {
			...{ name, summary, trigger: "auto", cwd: "/", firstTool: null },
			lines: transcript.lines.slice(0, before),
			after: transcript.lines.slice(before),
		};
		const given = injected(replay(one));
		transcript.say("user", "continue");
		transcript.say("assistant", "OK.");
		return { summary, given };
	});
}

/** A transcript's lines as Claude Code signs them, a minute apart. */
function transcriptOf(name: string) {
	const lines: string[] = [];
	let last: string | null = null;
	const write = (fields: object, parent: string | null = last): void => {
		const uuid = `00000000-0000-4000-8000-${String(lines.length + 1).padStart(12, "0")}`;
		const timestamp = new Date(Date.UTC(2026, 10, 21, 9, lines.length)).toISOString();
		const place = { userType: "external", entrypoint: "cli", cwd: "/", sessionId: name, version: "2.1.329" };
		lines.push(JSON.stringify({ parentUuid: parent, isSidechain: false, ...fields, uuid, timestamp, ...place }));
		last = uuid;
	};
	const user = (content: string) => ({ type: "user", message: { role: "user", content } });
	return {
		lines,
		say(role: "user" | "assistant", text: string): void {
			if (role === "user") return write({ ...user(text), promptSource: "typed", turnOrigin: "human" });
			const message = { type: "message", role, model: "claude-opus-5-5", content: [{ type: "text", text }] };
			write({ type: "assistant", message: { id: `msg_${lines.length}`, ...message }, madeBy: "model" });
		},
		compact(summary: string): void {
			const compactMetadata = { trigger: "auto", preTokens: 150_000 };
			const fields = {
				type: "system",
				subtype: "compact_boundary",
				content: "Conversation compacted",
				compactMetadata,
			};
			write({ logicalParentUuid: last, ...fields }, null);
			write({ ...user(summary), isVisibleInTranscriptOnly: true, isCompactSummary: true });
		},
	};
}

function wantedOf(session: readonly Dialogue[]): string[] {
	return valuesOf(session, "contains_normalized");
}
function valuesOf(session: readonly Dialogue[], check: string): string[] {
	return session.flatMap(({ items }) => items.flatMap((one) => (one.check === check ? [one.value] : [])));
}
function holds(text: string, words: string): boolean {
	return normalise(text).includes(normalise(words));
}

/** Decisions that another took the place of, each with it; not those that are valid elsewhere in the session. */
function replacedIn(session: readonly Dialogue[]): { old: string; valid: string }[] {
	const wanted = wantedOf(session);
	return session
		.filter(({ family }) => family === "decision_override")
		.flatMap((one) =>
			valuesOf([one], "forbidden_absent").map((old) => ({ old, valid: valuesOf([one], "contains_normalized")[0]! })),
		)
		.filter(({ old }) => !wanted.some((one) => holds(one, old) || holds(old, one)));
}

/** It is given without the valid one, or without a mark behind the first place where the model reads that. */
function isWrong({ old, valid }: { old: string; valid: string }, summary: string, given: string): boolean {
	if (!holds(`${summary}\n${given}`, old)) return false;
	if (!holds(`${summary}\n${given}`, valid)) return true;
	let isKnown = holds(summary, valid);
	return given.split("\n").some((line) => {
		const isBare = holds(line, old) && !holds(line, valid) && !MARK.test(line);
		isKnown ||= holds(line, valid);
		return isBare && isKnown;
	});
}
