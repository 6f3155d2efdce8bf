import type { Command } from "commander";
import { tokensAfterCompaction } from "../claude/compactions.ts";
import type { KindLoss, LossReport } from "../core/recovery/loss-report.ts";
import { grouped } from "../core/text.ts";
import { loadCheckpoint } from "../store/checkpoints.ts";
import { readReports } from "../store/compaction-record.ts";
import { listContexts } from "../store/session-context.ts";
import type { Io } from "./io.ts";
import { pickSession, storeOf } from "./pick-session.ts";

interface Options {
	session?: string;
	last?: boolean;
	json?: boolean;
}

export function registerReport(program: Command, io: Io): void {
	program
		.command("report")
		.description("what each compaction kept, dropped and got back, by kind, with the lines")
		.option("--session <id>", "only this session, by its id or the beginning of it")
		.option("--last", "only the newest compaction")
		.option("--json", "machine-readable")
		.addHelpText("after", "\nExamples:\n  ccg report --last\n  ccg report --session 0c0ffee0 --json")
		.action((options: Options) => report(options, io));
}

export function report(options: Options, io: Io, now = new Date()): void {
	const root = storeOf(io);
	const sessions = options.session === undefined ? listContexts(root) : [pickSession(root, options.session, now)];
	const every = sessions.flatMap((sid) => readReports(root, sid)).sort((a, b) => (a.at < b.at ? -1 : 1));
	const chosen = options.last ? every.slice(-1) : every;
	const shown = chosen.map((one) => ({ ...one, tokensAfter: tokensAfter(root, one) }));
	if (options.json) return io.out(JSON.stringify(shown, null, 2));
	if (shown.length === 0)
		return io.out("No compaction was reported yet: a report is made when Claude Code hands over the summary.");
	for (const [i, one] of shown.entries()) {
		if (i > 0) io.out("");
		print(one, io);
	}
}

type Shown = LossReport & {
	/** Context size behind the compaction; `null` when the transcript does not tell. */
	tokensAfter: number | null;
};

function tokensAfter(root: string, { session, key, at }: LossReport): number | null {
	const path = loadCheckpoint(root, session, key)?.transcriptPath;
	try {
		return path ? tokensAfterCompaction(path, at) : null;
	} catch {
		return null;
	}
}

function print(one: Shown, { out, colours: c }: Io): void {
	const after = one.tokensAfter === null ? "" : `, ${grouped(one.tokensAfter)} after it`;
	const tokens = one.tokensBefore === null ? after : `, at ${grouped(one.tokensBefore)} tokens${after}`;
	out(`${c.bold(one.at)}  ${one.trigger || "unknown"} compaction of ${one.session}${tokens}`);
	const { block, later } = one.givenChars;
	out(
		c.dim(
			`  summary ${one.summaryChars === null ? "not seen" : `${grouped(one.summaryChars)} characters`}; given back ${grouped(block)} + ${grouped(later)} characters; checkpoint ${one.key}`,
		),
	);
	out(
		c.dim(
			`  ${"".padEnd(14)}${["in all", "kept", "reworded", "dropped", "given back", "from disk"].map((name) => name.padStart(11)).join("")}`,
		),
	);
	for (const [kind, loss] of Object.entries(one.kinds))
		out(
			`  ${kind.padEnd(14)}${numbers(loss)
				.map((value) => String(value).padStart(11))
				.join("")}`,
		);
	for (const [kind, loss] of Object.entries(one.kinds)) {
		if (kind === "name") continue;
		for (const { text, fate, givenBack } of loss.lines.slice(0, 12))
			out(
				`  ${givenBack ? c.green("given back") : c.yellow(fate)}  ${kind}: ${text.replace(/\s+/g, " ").slice(0, 160)}`,
			);
	}
	for (const { sentence } of one.claims) out(`  ${c.red("no source")}  the summary says of the user: ${sentence}`);
}

const numbers = (loss: KindLoss): number[] => [
	loss.total,
	loss.verbatim,
	loss.reworded,
	loss.dropped,
	loss.givenBack,
	loss.reloaded ?? 0,
];
