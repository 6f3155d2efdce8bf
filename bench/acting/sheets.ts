import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { injected, replayer } from "../fidelity/replay.ts";
import { type Compacted, compacted, KINDS, situations } from "./sessions.ts";

const HERE = resolve(import.meta.dirname, "../..");
const INSTRUCTIONS = `You are a coding agent in the middle of a session. Your conversation was compacted: context-SESSION.txt is all that you still have of it.
For each situation in situations.json the user now says the sentence; each stands for itself, right after the compaction. Say what you
do, concretely, in at most six sentences: commands as you would type them, files and what you write into them, values, what you
answer.LOOKUP If you would ask or look something up first, say what for, and what you do then. Do not hedge
by naming several ways: say the one you take. Use nothing but this folder. Write answers.json: {"id": "answer"}.
`;

const CANNOT = " You can't look anything up before you answer.";
/** What a reader with recall is told besides what the block says of it itself. */
const CAN = " Commands that your context names can be run in this folder, before you answer.";

/** A folder for each kind of summary and condition; sizes of blocks by condition. `out` must not be there yet. */
export function writeConditions(out: string, old?: string): void {
	mkdirSync(out);
	const sizes: Record<string, number[]> = {};
	for (const kind of KINDS)
		for (const one of compacted(kind)) {
			const trees = { block: HERE, ...(old && { "block-before": old }) };
			for (const [name, tree] of Object.entries(trees)) {
				const room = join(out, ".rooms", `${kind}-${name}-${one.name}`);
				mkdirSync(room, { recursive: true });
				const block = injected(replayer(room, tree)(one)).replaceAll(join(room, "home"), "~");
				sizes[`${kind}.${name}`] = [...(sizes[`${kind}.${name}`] ?? []), block.length];
				write(
					out,
					`${kind}.${name}`,
					one,
					`${one.context}\n\n----- added by a hook -----\n\n${withoutRecall(block)}\n`,
				);
				if (tree === HERE) writeRecall(out, `${kind}.recall`, one, room, block);
			}
			write(out, `${kind}.summary`, one, one.context);
		}
	writeFileSync(join(out, "sizes.json"), JSON.stringify(sizes));
	console.log(`${situations().length} situations in each folder of ${out}`);
}

function write(out: string, condition: string, { name }: Compacted, context: string, lookup = CANNOT): void {
	const folder = join(out, condition);
	mkdirSync(folder, { recursive: true });
	const plain = context.replaceAll("{{PROJECT}}", `/home/dev/${name}`).replace(/\{\{[A-Z-]+\}\}/g, "…");
	writeFileSync(join(folder, `context-${name}.txt`), plain);
	writeFileSync(join(folder, "README.txt"), INSTRUCTIONS.replace("LOOKUP", lookup));
	const asked = situations().map(({ id, session, says }) => ({ id, session, says }));
	writeFileSync(join(folder, "situations.json"), JSON.stringify(asked, null, "\t"));
}

/** A reader who can't look anything up isn't told to: that would measure obedience. */
function withoutRecall(block: string): string {
	return block.replace(/^.*ccg recall WORDS.*\n?/gm, "").trimEnd();
}

/** The block as well, with a command in the place of `ccg recall` that asks the session's record. */
function writeRecall(out: string, condition: string, one: Compacted, room: string, block: string): void {
	const asked = block.replace(/`[^`]*ccg recall WORDS`/g, `\`./ask-${one.name} WORDS\``);
	write(out, condition, one, `${one.context}\n\n----- added by a hook -----\n\n${asked}\n`, CAN);
	const ask = join(out, condition, `ask-${one.name}`);
	const env = `HOME='${room}/home' CLAUDE_CODE_SESSION_ID='${one.name}' CLAUDE_PROJECT_DIR='${room}/project'`;
	writeFileSync(
		ask,
		`#!/bin/sh\ncd '${room}/project' && exec env -i PATH="$PATH" ${env} '${HERE}/bin/ccg' recall "$@"\n`,
	);
	chmodSync(ask, 0o755);
}
