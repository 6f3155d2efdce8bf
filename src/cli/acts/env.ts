import { readEnvironment } from "../../claude/machine/environment.ts";
import { environmentLines, type ProcessInfo } from "../../core/context/environment.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { unbroken } from "../support/layout/beside.ts";
import { isoOf } from "../support/layout/moment.ts";
import { type Column, table } from "../support/layout/table.ts";

/** Prints the machine and the workspace as a session sees them. */
export async function environment({ json }: { json?: boolean }, io: Io): Promise<void> {
	const environment = await readEnvironment(io.cwd, new Date());
	if (json) return answerJson(io, { ...environment, captured_at: isoOf(environment.captured_at) });
	for (const line of environmentLines(environment))
		for (const part of unbroken(line, io.columns ?? Infinity)) io.out(part);
	printProcesses(environment.processes ?? [], io);
}

/** The processes that are at work; those that wait for something are left out. */
function printProcesses(all: readonly ProcessInfo[], { out, columns = Infinity, colours }: Io): void {
	const busy = all.filter(({ cpu_percent: cpu }) => cpu.toFixed(1) !== "0.0");
	if (busy.length === 0) return;
	const number = (title: string, rank: number, cell: (one: ProcessInfo) => string): Column => ({
		title,
		rank,
		align: "right",
		cells: busy.map(cell),
	});
	const { lines } = table(
		[
			number("pid", 0, ({ pid }) => String(pid)),
			number("cpu", 0, ({ cpu_percent: cpu }) => `${cpu.toFixed(1)}%`),
			number("memory", 1, ({ memory_mb: memory }) => `${memory} MB`),
			{ title: "process", rank: 0, least: 8, cells: busy.map(({ name }) => name) },
		],
		columns - 2,
		colours.dim,
	);
	for (const line of lines) out(`  ${line}`);
}
