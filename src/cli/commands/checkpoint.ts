import { existsSync } from "node:fs";
import { CHECKPOINT_TYPES } from "../../core/checkpoint/checkpoint-key.ts";
import { savedReport, validationReport } from "../../core/checkpoint/reports.ts";
import { type DueTrigger, HIGH_USE_TRIGGER } from "../../core/checkpoint/triggers.ts";
import { isCheckpointInUse } from "../../core/session/cycle.ts";
import { safeText, withThousands } from "../../core/text/text.ts";
import { copyStore } from "../../store/database.ts";
import { checkpointPath, deleteCheckpoint, listStoredCheckpoints } from "../../store/recovery/checkpoints.ts";
import { writeReadableCheckpoint } from "../../store/recovery/workspace-file.ts";
import { readCycle } from "../../store/session/cycles.ts";
import { requireStore } from "../../store/session/place.ts";
import { sessionHandle } from "../../store/session-handle.ts";
import { confirmChange } from "../support/answer.ts";
import { pickCheckpoint, readAndValidate, saveCheckpoint } from "../support/checkpoints.ts";
import { ALL, AUTO, argument, type Flags, JSON_OUT, SESSION, type Spec, YES } from "../support/command.ts";
import { checkpointFilter, resolveSession } from "../support/place.ts";
import { printTable } from "../support/text.ts";
import { restore } from "./checkpoint-restore.ts";

const MAX_NOTE = 2_000;

const save: Spec = {
	about: "save the state of the session now, with a note",
	args: [argument("[note...]", "what to write to it")],
	options: [SESSION, JSON_OUT, AUTO],
	help: "\nExample:\n  ccg checkpoint save before the port to TypeScript",
	run(io, { session: named, auto }: Flags, words: string[]) {
		const session = resolveSession(named, io);
		const due: DueTrigger = auto
			? HIGH_USE_TRIGGER
			: { trigger: "manual_request", reason: "asked for with 'ccg checkpoint save'" };
		const note = words.join(" ").trim();
		if (note.length > MAX_NOTE) throw new Error(`the note has ${note.length} characters; ${MAX_NOTE} is the most`);
		const checkpoint = saveCheckpoint(session, due, io, safeText(note));
		if (!checkpoint && auto) return;
		if (!checkpoint) throw new Error(`nothing was saved of session ${session.id}: its transcript can't be read`);
		const { key, at, trigger, type } = checkpoint;
		const { validation } = readAndValidate({ sid: session.id, key }, io);
		if (!validation.valid) io.setExitCode(1);
		writeReadableCheckpoint(session, checkpoint);
		// what a person saved outlives the database
		if (!auto) copyStore(session);
		return {
			json: { key, type, trigger, at, session: session.id, path: checkpointPath(session, key), validation },
			text: savedReport(checkpoint, validation),
		};
	},
};

/** So many checkpoints are listed; `--json` has all. */
const SHOWN = 20;

const list: Spec = {
	about: "checkpoints of this project, the newest first: why they were taken, and sizes",
	args: [argument("[type]", "of this type alone").choices(CHECKPOINT_TYPES)],
	options: [SESSION, ALL, JSON_OUT],
	help: "\nExample:\n  ccg checkpoint list manual --all",
	run(io, options: Flags, type?: string) {
		const store = requireStore(io);
		const filter = { ...checkpointFilter(options, io), type };
		const logged = listStoredCheckpoints(store, filter, { most: options.json ? -1 : SHOWN + 1 });
		const checkpoints = logged.map(({ sid: session, project = null, reason = null, ...row }) => {
			const path = checkpointPath(sessionHandle(store, session), row.key);
			return { ...row, session, project, reason, path: existsSync(path) ? path : null };
		});
		if (checkpoints.length === 0) return { json: { checkpoints }, text: NONE };
		const text = (): void => {
			printTable(io, checkpoints.slice(0, SHOWN), [
				{ title: "checkpoint", cell: ({ key }) => key, paint: io.colours.bold },
				{ title: "why", cell: ({ reason, trigger }) => reason ?? `trigger ${trigger}` },
				{
					title: "session",
					cell: ({ session, project }) => session.slice(0, 8) + (options.all ? ` of ${project}` : ""),
				},
				{ title: "tokens", align: "right", cell: ({ tokens }) => (tokens === null ? "" : withThousands(tokens)) },
				{ title: "size", align: "right", cell: ({ bytes }) => `${Math.max(1, Math.round(bytes / 1024))} KB` },
			]);
			if (checkpoints.length > SHOWN) io.err(`ccg: the newest ${SHOWN}; --json lists all`);
		};
		return { json: { checkpoints }, text };
	},
};

const NONE = "There is no checkpoint yet: 'ccg checkpoint save' makes one, and each compaction does.";

/** `ccg checkpoint validate`: the process ends 1 when one is not fit for a restore. */
const validate: Spec = {
	about: "check checkpoints: checksum, age, coverage",
	args: [argument("[key...]", "keys or types (default: all of this project; prints those that can't be restored)")],
	options: [SESSION, ALL, JSON_OUT],
	help: "\nExample:\n  ccg checkpoint validate latest\n\nIt ends 1 where one is not fit for a restore.",
	run(io, given: Flags, named: string[]) {
		const isNamed = named.length > 0;
		const found = isNamed
			? named.map((key) => pickCheckpoint(key, given.session, io))
			: listStoredCheckpoints(requireStore(io), checkpointFilter(given, io)).map((one) => readAndValidate(one, io));
		const checkpoints = found.map(({ validation }) => validation);
		const checked = found.length;
		const unfit = checkpoints.filter(({ valid }) => !valid).length;
		if (unfit > 0) io.setExitCode(1);
		const reports = checkpoints.filter(({ valid }) => isNamed || !valid).flatMap(validationReport);
		const text = [...reports, `${checked} validated, ${unfit} not fit for a restore.`];
		return {
			json: { valid: unfit === 0, checked, unfit, checkpoints },
			text: checked === 0 ? "There is no checkpoint to validate." : text,
		};
	},
};

const remove: Spec = {
	about: "delete checkpoints",
	args: [argument("<key...>", "keys, or their beginnings")],
	options: [SESSION, YES, JSON_OUT],
	help: "\nExample:\n  ccg checkpoint delete manual_checkpoint_20260131_090500\n\nThe last compaction's checkpoint needs: ccg --anyway checkpoint delete KEY",
	async run(io, { session: of, yes }: Flags, named: string[]) {
		const found = named.map((one) => pickCheckpoint(one, of, io));
		for (const { session, key } of found)
			if (!io.mayLeaveProject && isCheckpointInUse(readCycle(session), key))
				throw new Error(
					`${key} is what the last compaction of session ${session.id} goes by; to delete it: ccg --anyway checkpoint delete ${key}`,
				);
		const nameOf = ({ key, session }: (typeof found)[number]): string => `${key} of session ${session.id}`;
		const these = found.length === 1 ? "this checkpoint" : "these checkpoints";
		if (!(await confirmChange(`${found.map(nameOf).join("\n")}\nDelete ${these}?`, yes, io))) return;
		const deleted = found.filter(({ session, key }) => deleteCheckpoint(session, key));
		return {
			json: { deleted: deleted.map(({ key, session }) => ({ key, session: session.id })) },
			text: deleted.map((one) => `deleted ${nameOf(one)}`),
		};
	},
};

export const commands = { save, list, validate, restore, delete: remove };
