import { validationReport } from "../../core/recovery/checkpoints/reports.ts";
import type { Validation } from "../../core/recovery/checkpoints/validation.ts";
import { projectOf } from "../../store/project.ts";
import { projectIn, storedCheckpoints } from "../../store/recovery/find-checkpoints.ts";
import { pickCheckpoint } from "../checkpoint/pick.ts";
import { checkpointStore, judge } from "../checkpoint/place.ts";
import { answerJson } from "../support/answer-json.ts";
import { refuseCrossing } from "../support/held.ts";
import type { Io } from "../support/io.ts";
import { pickSession } from "../support/pick-session.ts";
import { progressBar } from "../support/progress-bar.ts";

export interface ValidateOptions {
	session?: string;
	all?: boolean;
	json?: boolean;
}

/** Validates the checkpoints named, else the project's (`all`: of all projects). Exit code 1 when one is not fit for a restore. */
export function validateAll(named: readonly string[], options: ValidateOptions, io: Io, now: Date): void {
	const { store, folder } = checkpointStore(io);
	const found: Validation[] = [];
	if (options.all) refuseCrossing("--all", io);
	if (named.length > 0)
		for (const key of named)
			found.push(pickCheckpoint(store, key, { session: options.session, folder }, io, now).validation);
	else {
		const sid = options.session === undefined ? undefined : pickSession(store, options.session, io, now);
		const project = projectOf(folder).key;
		const stored = storedCheckpoints(store, sid).filter(
			(one) => options.all || sid !== undefined || projectIn(store, one.sid) === project,
		);
		const tell = progressBar(io, "validating", stored.length, options.json);
		for (const [i, one] of stored.entries()) {
			tell(i);
			found.push(judge(store, one, io, now).validation);
		}
		tell(null);
	}
	const unfit = found.filter(({ valid }) => !valid);
	if (unfit.length > 0) io.exit(1);
	if (options.json)
		return answerJson(io, {
			valid: unfit.length === 0,
			checked: found.length,
			unfit: unfit.length,
			checkpoints: found,
		});
	if (found.length === 0) return io.out("There is no checkpoint to validate.");
	if (named.length > 0) for (const one of found) io.out(validationReport(one).join("\n"));
	else for (const one of found) io.out(lineOf(one));
	io.out(`${found.length} validated, ${unfit.length} not fit for a restore.`);
}

function lineOf({ key, valid, integrity, freshness, coverage }: Validation): string {
	const failed = integrity.checks.filter(({ ok, must }) => !ok && must).map(({ name, reason }) => `${name}: ${reason}`);
	if (!valid) return `${key}  NOT FIT: ${failed.join("; ")}`;
	return `${key}  fit, ${freshness.fresh ? "fresh" : "stale"} (${freshness.ageHours} h), coverage ${coverage.percent} %`;
}
