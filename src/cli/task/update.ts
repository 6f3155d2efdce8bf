import { parseUpdate, type TaskUpdate } from "../../core/task/task-update.ts";
import { readText } from "../../store/json-file.ts";
import { fileToRead } from "../support/held.ts";
import type { Io } from "../support/io.ts";
import type { Common } from "./decide.ts";

/** The update from flags and JSON together; a field given both ways is named. */
export function updateOf(
	options: CheckpointOptions,
	io: Io,
	stdin: () => string,
): { update: TaskUpdate } | { problems: string[] } {
	const { file, did, outcome, failed, why, decision } = options;
	const fields: Record<string, unknown> = {};
	const problems: string[] = [];
	if (outcome !== undefined && did === undefined) problems.push("--outcome: says what came of --did, which is missing");
	if (why !== undefined && failed === undefined && decision === undefined)
		problems.push("--why: is the reason of --failed or --decision; both are missing");
	const flags: Record<string, unknown> = {
		goal: options.goal,
		current_phase: options.phase,
		next_action: options.next,
		last_action: did === undefined ? undefined : { summary: did, outcome: outcome ?? "" },
		completed_steps: options.step,
		failed_attempts: failed === undefined ? undefined : [{ attempt: failed, reason: why ?? "" }],
		decisions: decision === undefined ? undefined : [{ decision, reason: failed === undefined ? (why ?? "") : "" }],
		artifacts: options.touched,
		blockers: options.blocker,
		constraints: options.constraint,
		remove: options.unblock === undefined ? undefined : { blockers: [options.unblock] },
	};
	if (file !== undefined) {
		const text = file === "-" ? stdin() : readText(fileToRead(file, io));
		if (text === null) return { problems: [`--file ${file}: can't be read`] };
		try {
			const value: unknown = JSON.parse(text);
			if (value === null || typeof value !== "object" || Array.isArray(value))
				problems.push(`--file ${file}: must hold one JSON object`);
			else Object.assign(fields, value);
		} catch (error) {
			problems.push(`--file ${file}: not JSON: ${(error as Error).message}`);
		}
	}
	for (const [name, value] of Object.entries(flags)) {
		if (value === undefined) continue;
		if (name in fields) problems.push(`${name}: given by a flag and in --file`);
		fields[name] = value;
	}
	if (problems.length > 0) return { problems };
	if (Object.keys(fields).length === 0)
		return { problems: ["there is nothing to record: give at least --did or --next"] };
	return parseUpdate(fields);
}

export interface CheckpointOptions extends Common {
	did?: string;
	outcome?: string;
	next?: string;
	failed?: string;
	why?: string;
	decision?: string;
	step?: string;
	phase?: string;
	goal?: string;
	touched?: string[];
	blocker?: string;
	unblock?: string;
	constraint?: string;
	file?: string;
}
