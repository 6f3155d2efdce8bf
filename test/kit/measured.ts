import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ran, runProcess } from "../../src/install/run-process.ts";

/** What a program printed and what it cost, its children included. */
export interface Measured extends Ran {
	/** Time on the processor. */
	cpuMs: number;
	/** Largest resident memory; the floor is that of `measured-run.ts`, about 40 MB. */
	peakMb: number;
}

export interface MeasuredOptions {
	/** Where input and output are kept while it runs. */
	top: string;
	cwd: string;
	env: Record<string, string>;
	input?: string;
	limitMs?: number;
}

/** Runs a program under `measured-run.ts`, which tells its true peak of memory. */
export async function runApart(
	command: readonly string[],
	{ top, cwd, env, input = "", limitMs = 30_000 }: MeasuredOptions,
): Promise<Measured> {
	mkdirSync(top, { recursive: true });
	const job = join(top, "job");
	writeFileSync(`${job}.in`, input);
	writeFileSync(job, JSON.stringify({ command, cwd, env, limitMs }));
	const script = join(import.meta.dirname, "measured-run.ts");
	const runner = [process.execPath, "--config=/dev/null", "--no-env-file", script, job];
	const { out, err } = await runProcess(runner, { cwd: top, env: { PATH: env.PATH } });
	if (!out) throw new Error(`${command.join(" ")} was not measured: ${err}`);
	return { ...JSON.parse(out), out: readFileSync(`${job}.out`, "utf8"), err: readFileSync(`${job}.err`, "utf8") };
}
