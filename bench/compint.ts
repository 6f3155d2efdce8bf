/**
 * Do standing constraints outlive a compaction whose summary keeps nothing? One constraint is put in front of the first, the middle or the last
 * message that a person typed before a transcript's first compaction, in four framings; counted is whether its words stand in the block,
 * white space, case and punctuation apart. (Constraints, MIT licence, and framings of "Lost in Compaction", arXiv 2608.11242, by
 * ZhiqiEliWang/compaction-integrity; 17 % is its mean of clients, 90 to 96 % its best extractor.)
 *
 *   npx bun bench/compint.ts [--data FOLDER] [--constraints FILE] [--sessions N] [--misses] [--check]
 *
 * FOLDER holds transcripts (*.jsonl, *.jsonl.gz; without it the recorded ones), FILE a JSON list of texts. --check ends 1 below 98 %.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { catchUpRecord } from "../src/claude/transcript/read-session.ts";
import { recoveryBlock } from "../src/core/block/recovery-block.ts";
import { applyLineToState } from "../src/core/context/apply.ts";
import { emptySnapshot } from "../src/core/context/session-context.ts";
import { setRulesLoader } from "../src/core/redact/lazy-rules.ts";
import { decodeLine } from "../src/core/transcript/decode.ts";
import { transcriptsIn } from "./transcripts.ts";

const { values } = parseArgs({
	options: {
		data: { type: "string", default: join(import.meta.dir, "acting/transcripts") },
		constraints: { type: "string", default: join(import.meta.dir, "compint/constraints.json") },
		sessions: { type: "string", default: "6" },
		misses: { type: "boolean" },
		check: { type: "boolean" },
	},
});
setRulesLoader(() => require("../src/core/redact/rules.ts"));
const lower = (text: string): string => text[0]!.toLowerCase() + text.slice(1);
const FRAMINGS: Record<string, (text: string) => string> = {
	bare: (text) => text,
	"for the rest": (text) => `For the rest of this session. ${lower(text)}`,
	important: (text) => `This is an important constraint: ${lower(text)}`,
	both: (text) => `This is an important constraint: for the rest of this session. ${lower(text)}`,
};
const PLACES = { first: 0, middle: 0.5, last: 1 };
/** As it is compared. */
const folded = (text: string): string =>
	text
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, " ")
		.trim();

const constraints: string[] = JSON.parse(readFileSync(values.constraints, "utf8"));
const folder = realpathSync(mkdtempSync(join(tmpdir(), "ccg-compint-")));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const counts = new Map<string, { found: number; all: number }>();
const count = (name: string, isFound: boolean): void => {
	const { found, all } = counts.get(name) ?? { found: 0, all: 0 };
	counts.set(name, { found: found + Number(isFound), all: all + 1 });
};

/** The lines up to the first compaction, and which of them a person typed; `null` for a transcript with fewer than three such messages. */
function sessionIn(bytes: Buffer): { lines: string[]; typed: number[] } | null {
	const all = bytes.toString("utf8").split("\n");
	const end = all.findIndex((line) => line.includes('"compact_boundary"'));
	const lines = end < 0 ? all : all.slice(0, end);
	const isTyped = (line: string): boolean => {
		try {
			const entry = JSON.parse(line);
			const said = decodeLine(entry).some((event) => event.kind === "message" && event.source === "typed");
			return said && typeof entry.message?.content === "string";
		} catch {
			return false;
		}
	};
	const typed = lines.flatMap((line, i) => (isTyped(line) ? [i] : []));
	return typed.length < 3 ? null : { lines, typed };
}

/** What ccg gives back after a session that holds a text in front of one message. */
function blockWith({ lines, typed }: NonNullable<ReturnType<typeof sessionIn>>, share: number, text: string): string {
	const at = typed[Math.round((typed.length - 1) * share)]!;
	const entry = JSON.parse(lines[at]!);
	entry.message.content = `${text} ${entry.message.content}`;
	const path = join(folder, "s.jsonl");
	writeFileSync(path, [...lines.slice(0, at), JSON.stringify(entry), ...lines.slice(at + 1), ""].join("\n"));
	const { state } = catchUpRecord(emptySnapshot("s", 0), path, {}, applyLineToState);
	const base = { key: "precompact_checkpoint_1", path: "/c.md", at: "", workspace: null };
	return recoveryBlock({ ...base, state, maxChars: 9_500, recall: "ccg recall" }).text;
}

let played = 0;
for (const { name, bytes } of transcriptsIn(values.data)) {
	if (played >= Number(values.sessions)) break;
	const session = sessionIn(bytes);
	if (!session) continue;
	played++;
	for (const constraint of constraints)
		for (const [framing, frame] of Object.entries(FRAMINGS))
			for (const [place, share] of Object.entries(PLACES)) {
				const isFound = folded(blockWith(session, share, frame(constraint))).includes(folded(constraint));
				for (const kind of ["all", framing, place]) count(kind, isFound);
				if (!isFound && values.misses)
					console.log(`${name} ${framing} ${place} (${session.typed.length} typed): ${constraint}`);
			}
}
for (const [kind, { found, all }] of counts)
	console.log(`${kind.padEnd(14)} ${found} of ${all}, ${((100 * found) / all).toFixed(1)} %`);
const { found = 0, all = 1 } = counts.get("all") ?? {};
if (values.check && found / all < 0.98) process.exitCode = 1;
