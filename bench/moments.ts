/**
 * Where does ccg see a good moment to compact (`isGoodMoment`)? Each end of a turn in a folder of transcripts: a table by session, and with --write
 * a sheet for readers, who say `good`, `neutral` or `bad` without knowing what ccg says, beside the key.
 *
 *   npx bun bench/moments.ts --data FOLDER [--write OUT] [--most 120]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readTranscript } from "../src/claude/transcript/read-transcript.ts";
import { applyLineToState } from "../src/core/context/apply.ts";
import { emptySnapshot } from "../src/core/context/session-context.ts";
import { setRulesLoader } from "../src/core/redact/lazy-rules.ts";
import { isGoodMoment } from "../src/core/session/status.ts";
import { transcriptsIn } from "./transcripts.ts";

setRulesLoader(() => require("../src/core/redact/rules.ts"));
const { values: options } = parseArgs({
	options: { data: { type: "string" }, write: { type: "string" }, most: { type: "string", default: "120" } },
});
if (!options.data) throw new Error("--data FOLDER: transcripts, *.jsonl or *.jsonl.gz");

interface TurnEnd {
	id: string;
	isGood: boolean;
	request: string;
	said: string;
	next: string;
}

const folder = mkdtempSync(join(tmpdir(), "ccg-moments-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const ends: TurnEnd[] = [];
const rows = transcriptsIn(options.data)
	.map(({ name, bytes }) => {
		const found = turnEnds(name, bytes);
		ends.push(...found.ends);
		const good = found.ends.filter(({ isGood }) => isGood);
		return {
			session: name.slice(0, 8),
			turns: found.ends.length,
			good: good.length,
			"before the first compaction": found.before,
		};
	})
	.toArray();
console.table(rows);
const good = ends.filter(({ isGood }) => isGood);
console.log(
	`${good.length} of ${ends.length} ends of turns, in ${rows.filter((row) => row.good > 0).length} of ${rows.length} sessions`,
);
if (options.write) writeSheet(options.write);

/** Each end of a turn: a message of the user's after words of the agent's. `before`: good ones before the first automatic compaction. */
function turnEnds(name: string, bytes: Buffer): { ends: TurnEnd[]; before: number } {
	const path = join(folder, "session.jsonl");
	writeFileSync(path, bytes);
	const record = emptySnapshot("s", 0);
	const found: TurnEnd[] = [];
	let [said, request, isCompacted, before] = ["", "", false, 0];
	readTranscript(
		path,
		null,
		() => (line) => {
			for (const event of line.events) {
				if (event.kind === "message" && event.source !== "queued" && said) {
					const isGood = isGoodMoment(record.state);
					if (isGood && !isCompacted) before++;
					found.push({ id: `${name.slice(0, 8)}-${found.length}`, isGood, request, said, next: event.text });
				}
				if (event.kind === "message") request = event.text;
				if (event.kind === "said") said = event.text;
				isCompacted ||= event.kind === "boundary" && event.trigger === "auto";
			}
			applyLineToState(record, line);
		},
		{ maxBytes: Number.POSITIVE_INFINITY },
	);
	return { ends: found, before };
}

/** All that ccg calls good, and as many others as fit, in an order that tells nothing. */
function writeSheet(out: string): void {
	const hash = ({ id }: TurnEnd): number => Number(Bun.hash(id) % 1_000_003n);
	const others = ends.filter(({ isGood }) => !isGood).sort((a, b) => hash(a) - hash(b));
	const shown = [...good, ...others.slice(0, Number(options.most) - good.length)].sort((a, b) => hash(b) - hash(a));
	mkdirSync(out, { recursive: true });
	const part = ({ id, request, said, next }: TurnEnd): string =>
		`## ${id}\n\n**Asked:**\n${request.slice(0, 500)}\n\n**The turn ended with:**\n${said.slice(-900)}\n\n**Typed next:**\n${next.slice(0, 400)}\n`;
	writeFileSync(join(out, "sheet.md"), shown.map(part).join("\n---\n\n"));
	writeFileSync(
		join(out, "key.json"),
		JSON.stringify(Object.fromEntries(shown.map(({ id, isGood }) => [id, isGood])), null, 1),
	);
}
