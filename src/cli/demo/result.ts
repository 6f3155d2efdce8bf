import { grouped } from "../../core/text.ts";
import type { Io } from "../io.ts";
import { wrapped } from "../layout/fit.ts";
import { sideBySide } from "../layout/side-by-side.ts";
import { asTyped } from "../own-name.ts";
import type { Played } from "./play.ts";
import type { Statement } from "./statements.ts";

/** Below this, two columns are too narrow to read. */
const WIDE = 90;

/** What was said, what the summary kept of it and what ccg gave back; the result stands last, in one sentence. */
export function printResult(played: Played, io: Io): void {
	const { out, colours: c } = io;
	const width = Math.min(io.columns ?? 110, 130);
	const text = (line: string): void => {
		for (const part of wrapped(line, width)) out(part);
	};
	const wide = width >= WIDE;
	text(c.bold("A session of Claude Code, compacted with ccg installed"));
	text(
		c.dim(
			`A recorded session: at ${grouped(played.tokensBefore ?? 0)} tokens Claude Code put a summary of ${grouped(played.summary.length)} characters in its place. ` +
				"The summary is scripted, to keep as much of the user's words as summaries in public transcripts do (40 to 64%).",
		),
	);
	out("");
	if (wide)
		for (const line of sideBySide("What the user said", "What the model has after the compaction", width))
			out(c.bold(line));
	for (const one of played.statements) {
		const said = `"${one.said}"`;
		const after = [kept(one, c), back(one, c)].filter(Boolean).join("\n");
		if (wide) for (const line of sideBySide(said, after, width)) out(line);
		else {
			text(said);
			for (const part of after.split("\n")) for (const line of wrapped(part, width - 2)) out(`  ${line}`);
		}
		out("");
	}
	text(
		c.dim(
			asTyped(
				`ccg gave ${grouped(played.block.length + played.later.length)} characters, which took ${Math.round(played.ms)} ms. ` +
					"Nothing of yours was touched. Every step: ccg demo --full. To use it: ccg install --dry-run, then ccg install.",
				io,
			),
		),
	);
	out("");
	text(c.bold(c.green(sentence(played.statements))));
}

function kept({ fate, summary }: Statement, c: Io["colours"]): string {
	if (fate === "dropped") return `${c.red("✗ summary:")} ${c.red("lost")}`;
	return `${c.green("✓ summary:")} ${c.dim(`"${summary}"`)}`;
}

function back({ isBack, fate }: Statement, c: Io["colours"]): string {
	if (isBack)
		return `${c.green("✓ ccg:")} ${fate === "dropped" ? c.green("given back, word for word") : "the user's own words as well"}`;
	return fate === "dropped" ? c.red("✗ ccg: not given back") : "";
}

/** What came of it. */
export function sentence(statements: readonly Statement[]): string {
	const lost = statements.filter(({ fate }) => fate === "dropped");
	const back = lost.filter(({ isBack }) => isBack).length;
	const all = back === lost.length ? `all ${back}` : `${back} of them`;
	return `The summary lost ${lost.length} of ${statements.length} things the user said; ccg gave ${all} back, word for word.`;
}
