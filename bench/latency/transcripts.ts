import { appendFileSync, closeSync, openSync, writeSync } from "node:fs";
import { transcriptsIn } from "../transcripts.ts";

const MB = 1024 * 1024;
const BOUNDARY = '"compact_boundary"';

/** The largest transcript (`*.jsonl`, `*.jsonl.gz`) of a folder, as bytes. Throws when there is none. */
export function largestTranscript(folder: string): Buffer {
	let largest: Buffer | null = null;
	for (const { bytes } of transcriptsIn(folder)) if (!largest || bytes.length > largest.length) largest = bytes;
	if (!largest) throw new Error(`${folder} holds no *.jsonl and no *.jsonl.gz`);
	return largest;
}

/** The same lines without the compaction boundaries, as the file is when the session has not been compacted yet. */
export function withoutBoundaries(transcript: Buffer): Buffer {
	const lines = transcript.toString("utf8").split("\n");
	return Buffer.from(lines.filter((line) => !line.includes(BOUNDARY)).join("\n"));
}

/** Writes `history` again and again until `bytes` are reached, then `transcript`. */
export function writeWithHistory(path: string, history: Buffer, bytes: number, transcript: Buffer): void {
	const fd = openSync(path, "wx", 0o600);
	try {
		const whole = history.at(-1) === 10 ? history : Buffer.concat([history, Buffer.from("\n")]);
		for (let written = 0; written < bytes; written += whole.length) writeAll(fd, whole);
	} finally {
		closeSync(fd);
	}
	appendFileSync(path, transcript);
}

/** What a compaction or the user left in a transcript, as in real ones (`boundary` alone: nothing unusual). */
export const SHAPES = ["boundary", "gap", "kept", "precomputed", "rewind", "fork"] as const;
type Shape = (typeof SHAPES)[number];

/**
 * A transcript of about `bytes`, in the shapes Claude Code writes, with one automatic compaction at three quarters: what
 * the bench measures with where no real one is given. Of its bytes three fifths are tool results, as in real ones.
 */
export function syntheticTranscript(bytes: number, project: string, shape: Shape = "boundary"): Buffer {
	const lines: string[] = [];
	let size = 0;
	let turn = 0;
	let compacted = false;
	const add = (line: object): void => {
		const [uuid, parentUuid] = [`uuid-${lines.length}`, lines.length ? `uuid-${lines.length - 1}` : null];
		lines.push(JSON.stringify({ uuid, parentUuid, ...line }));
		size += lines.at(-1)!.length + 1;
	};
	while (size < bytes) {
		if (!compacted && size > bytes * 0.75) {
			compacted = true;
			add({ ...boundary(turn), ...behind(shape, lines.length) });
		}
		turnLines(turn++, project).forEach(add);
	}
	return Buffer.from(`${lines.join("\n")}\n`);
}

/** How the boundary at place `n` is tied to what stands before it. */
function behind(shape: Shape, n: number): object {
	const [head, anchor, tail] = [n - 6, n - 2, n - 1].map((at) => `uuid-${at}`);
	const compactMetadata = { trigger: "auto", preTokens: 167_000 };
	const uuids = Array.from({ length: 6 }, (_, i) => `uuid-${n - 6 + i}`);
	const kept = {
		preservedMessages: { anchorUuid: anchor, uuids, allUuids: uuids },
		preservedSegment: { headUuid: head, anchorUuid: anchor, tailUuid: tail },
	};
	const tied = { parentUuid: null, logicalParentUuid: tail };
	if (shape === "gap") return { ...tied, logicalParentUuid: "written-nowhere" };
	if (shape === "kept") return { ...tied, compactMetadata: { ...compactMetadata, ...kept } };
	if (shape === "precomputed") return { ...tied, compactMetadata: { ...compactMetadata, precomputed: true, ...kept } };
	if (shape === "rewind") return { parentUuid: null, logicalParentUuid: `uuid-${n - 40}` };
	if (shape === "fork") return { ...tied, forkedFrom: { sessionId: "another", messageUuid: tail } };
	return tied;
}

function turnLines(turn: number, project: string): object[] {
	const file = `${project}/src/part-${turn % 6}/file-${turn % 30}.ts`;
	const lines: object[] = [];
	if (turn % 12 === 0)
		lines.push(
			// signed as typed: of a version that signs prompts nothing else counts as the user's
			{
				...user(
					turn,
					project,
					`Request ${turn}: rework file-${turn % 30}. Don't touch part-${turn % 5}, always run its tests.`,
				),
				promptSource: "typed",
			},
		);
	const calls = [
		{ name: "Read", input: { file_path: file } },
		{ name: "Edit", input: { file_path: file, old_string: text(turn, 600), new_string: text(turn + 1, 700) } },
		{ name: "Bash", input: { command: `npm test -- part-${turn % 6} --seed=${turn}`, description: "Run the tests" } },
	];
	const call = calls[turn % 3]!;
	const id = `toolu_${turn}`;
	lines.push(assistant(turn, project, [{ type: "text", text: `Step ${turn}: ${text(turn, 200)}` }]));
	lines.push(assistant(turn, project, [{ type: "tool_use", id, ...call }]));
	for (let i = 0; i < 3; i++)
		lines.push({
			...common(turn, project),
			type: "progress",
			toolUseID: id,
			data: { type: "bash_progress", output: text(turn, 300), elapsedTimeSeconds: i },
		});
	const failed = turn % 9 === 8;
	const result = { type: "tool_result", tool_use_id: id, content: text(turn, 4_000), is_error: failed };
	lines.push({ ...user(turn, project, [result]), toolUseResult: { stdout: text(turn, 2_000), interrupted: false } });
	return lines;
}

const common = (turn: number, cwd: string) => ({
	isSidechain: false,
	sessionId: "bench",
	timestamp: new Date(1_750_000_000_000 + turn * 20_000).toISOString(),
	cwd,
	gitBranch: "main",
	version: "2.1.329",
	userType: "external",
});

const user = (turn: number, cwd: string, content: unknown) => ({
	...common(turn, cwd),
	type: "user",
	message: { role: "user", content },
});

const assistant = (turn: number, cwd: string, content: unknown[]) => ({
	...common(turn, cwd),
	type: "assistant",
	message: {
		id: `msg_${turn}`,
		role: "assistant",
		model: "claude-opus-5-5",
		content,
		usage: {
			input_tokens: 4,
			output_tokens: 300,
			cache_creation_input_tokens: 900,
			cache_read_input_tokens: 20_000 + ((turn * 137) % 130_000),
		},
	},
});

const boundary = (turn: number): object => ({
	...common(turn, ""),
	type: "system",
	subtype: "compact_boundary",
	content: "Conversation compacted",
	compactMetadata: { trigger: "auto", preTokens: 167_000 },
});

/** Code-like text with paths and names, different per turn. */
function text(seed: number, length: number): string {
	let out = "";
	for (let i = 0; out.length < length; i++)
		out += `\tconst value${(seed * 31 + i) % 977} = await load("src/part-${(seed + i) % 6}/file-${i % 30}.ts", ${seed}); // line ${i}\n`;
	return out.slice(0, length);
}

function writeAll(fd: number, bytes: Buffer): void {
	for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

export const PREFIX_BYTES = 250 * MB;
export const SYNTHETIC_BYTES = 4 * MB;
