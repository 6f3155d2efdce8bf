import { grouped } from "../../core/text/text.ts";
import type { Io } from "../support/io.ts";
import { wrapped } from "../support/layout/fit.ts";
import { type Painted, sideBySide } from "../support/layout/side-by-side.ts";
import { asTyped } from "../support/own-name.ts";
import type { PlayedDemo } from "./play.ts";
import type { Statement } from "./statements.ts";

/** Below this, two columns are too narrow to read. */
const WIDE = 90;

/** What was said, what the summary kept of it and what ccg injected; the result stands last, in one sentence. */
export function printResult(played: PlayedDemo, io: Io): void {
	const { out, colours: c } = io;
	const width = Math.min(io.columns ?? 110, 130);
	const text = (line: string, paint: Painted["paint"] = String, indent = ""): void => {
		for (const part of wrapped(line, width - indent.length)) out(indent + paint(part));
	};
	const wide = width >= WIDE;
	const { summary, tokensBefore, block, followUp, ms } = played;
	text("A session of Claude Code, compacted with ccg installed", c.bold);
	text(
		`A recorded session: at ${grouped(tokensBefore ?? 0)} tokens Claude Code put a summary of ${grouped(summary.length)} characters in its place. ` +
			"The summary is scripted, to keep as much of the user's words as summaries in public transcripts do (40 to 64%).",
		c.dim,
	);
	out("");
	const [said, has] = HEADS.map((head) => [{ text: head, paint: c.bold }]);
	if (wide) for (const line of sideBySide(said!, has!, width)) out(line);
	for (const one of played.statements) {
		const said = `"${one.said}"`;
		const after = outcome(one, c);
		if (wide) for (const line of sideBySide([{ text: said }], after, width)) out(line);
		else {
			text(said);
			for (const { text: part, paint } of after) text(part, paint, "  ");
		}
		out("");
	}
	text(
		asTyped(
			`ccg injected ${grouped(block.length + followUp.length)} characters, which took ${Math.round(ms)} ms. ` +
				"Nothing of yours was touched. Every step: ccg demo --full. To use it: ccg install --dry-run, then ccg install.",
			io,
		),
		c.dim,
	);
	out("");
	text(sentence(played.statements), (line) => c.bold(c.green(line)));
}

export const HEADS = ["What the user said", "What the model has after the compaction"];

/** What became of a statement: how the summary has it, and whether ccg injected it. */
export const outcome = (one: Statement, c: Io["colours"]): Painted[] => [kept(one, c), ...back(one, c)];

const kept = ({ fate, summary }: Statement, c: Io["colours"]): Painted =>
	fate === "dropped"
		? { text: "✗ summary: nothing of it", paint: c.red }
		: { text: `✓ summary: "${summary}"`, paint: c.dim };

function back({ isBack, fate }: Statement, c: Io["colours"]): Painted[] {
	if (fate !== "dropped") return isBack ? [{ text: "✓ ccg: the user's own words as well", paint: c.dim }] : [];
	return isBack
		? [{ text: "✓ ccg: injected, word for word", paint: c.green }]
		: [{ text: "✗ ccg: not injected", paint: c.red }];
}

/** What came of it. */
export function sentence(statements: readonly Statement[]): string {
	const missing = statements.filter(({ fate }) => fate === "dropped");
	const back = missing.filter(({ isBack }) => isBack).length;
	const other = back === missing.length ? `the other ${back}` : `${back} of the others`;
	return `The summary kept ${statements.length - missing.length} of ${statements.length} things the user said; ccg gave back ${other}, word for word.`;
}
