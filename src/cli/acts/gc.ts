import { renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { counted } from "../../core/text/text.ts";
import { whyOf } from "../../files/system-failure.ts";
import { quietly } from "../../store/atomic-write.ts";
import { withColdLock } from "../../store/cold-lock.ts";
import { loadConfig } from "../../store/config/config.ts";
import { appendText } from "../../store/gate.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { applyGc, type Deletion, type GcPlan, planGc } from "../../store/upkeep/gc.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { storeFailure } from "../support/store-failure.ts";

export interface GcOptions {
	dryRun?: boolean;
	json?: boolean;
	olderThan?: number;
	keep?: number;
	maxBytes?: number;
	/** Started by a session, without anybody to read what it prints: it goes to `log/gc.log`. */
	auto?: boolean;
}

export async function gc(options: GcOptions, io: Io, now = new Date()): Promise<void> {
	const store = storeOf(io);
	const { root } = store;
	if (!exists(root)) return tell({ deletions: [], sessions: 0, live: 0, bytes: 0 }, [], [], options, io, root);
	const { retention } = loadConfig(root).config;
	const request = {
		...store,
		now,
		retention: {
			...retention,
			...(options.olderThan !== undefined && { maxAgeDays: options.olderThan }),
			...(options.keep !== undefined && { maxSessions: options.keep }),
			...(options.maxBytes !== undefined && { maxBytes: options.maxBytes }),
		},
		asking: io.env.CLAUDE_CODE_SESSION_ID,
		onProgress: progress(options, io),
	};
	const work = (): void => {
		const plan = planGc(request);
		const failures: string[] = [];
		const gone = options.dryRun
			? plan.deletions
			: applyGc(plan, request, ({ path }, reason) =>
					failures.push(`${path} could not be deleted: ${whyOf(reason)}; make the folder it lies in writable for you`),
				);
		tell(plan, gone, failures, options, io, root);
	};
	if (options.dryRun) return work();
	try {
		await withColdLock(join(root, "run", "gc"), work, { waitMs: options.auto ? 0 : 10_000 });
	} catch (error) {
		throw storeFailure("the store was not cleaned", error, root);
	}
}

function tell(plan: GcPlan, gone: Deletion[], failures: string[], options: GcOptions, io: Io, root: string): void {
	if (failures.length) io.exit(1);
	const bytes = gone.reduce((sum, one) => sum + one.bytes, 0);
	if (options.auto) {
		const at = new Date().toISOString();
		const lines = [...gone.map(lineOf), ...failures].map((line) => `${at} ${line}\n`).join("");
		const path = join(root, "log", "gc.log");
		quietly(() => statSync(path).size > 1024 * 1024 && renameSync(path, `${path}.1`));
		if (lines) appendText(path, lines);
		return;
	}
	for (const failure of failures) io.err(`ccg: ${failure}`);
	const { sessions, live } = plan;
	if (options.json) {
		const dryRun = options.dryRun ?? false;
		return answerJson(io, { dryRun, deleted: gone, failures, bytes, sessions, live, storeBytes: plan.bytes });
	}
	for (const one of gone) io.out(lineOf(one));
	const verb = options.dryRun ? "Would delete" : "Deleted";
	const done = `${verb} ${counted(gone.length, "thing")}, ${counted(bytes, "byte")},`;
	const kept = `${counted(sessions, "session")} there, ${live} of them live.`;
	const isIdle = gone.length === 0 && failures.length === 0;
	io.out(isIdle ? `Nothing to delete. In ${root}: ${kept}` : `${done} in ${root}: ${kept}`);
	if (options.dryRun) io.err("Dry run: nothing was deleted.");
}

const lineOf = ({ what, path, reason }: Deletion): string => `${what} ${path}: ${reason}`;

function progress({ json, auto }: GcOptions, { interactive, err }: Io): (done: number, of: number) => void {
	if (json || auto || !interactive) return () => {};
	return (done, of) => {
		if (done > 0 && done % 250 === 0) err(`${done} of ${of} …`);
	};
}

function exists(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
