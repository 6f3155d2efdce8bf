import { savedReport, validationReport } from "../../core/checkpoint/reports.ts";
import { type Due, HIGH_USE } from "../../core/checkpoint/triggers.ts";
import { isInUse } from "../../core/session/cycle.ts";
import { safeText } from "../../core/text/text.ts";
import { checkpointPath, deleteCheckpoint, storedCheckpoints } from "../../store/recovery/checkpoints.ts";
import { writeReadable } from "../../store/recovery/workspace-file.ts";
import { readCycle } from "../../store/session/cycles.ts";
import { storeOf } from "../../store/session/place.ts";
import { isConfirmed } from "../support/answer.ts";
import { judge, pickCheckpoint, savePresent } from "../support/checkpoints.ts";
import { ALL, argument, type Given, JSON_OUT, option, SESSION, type Spec, YES } from "../support/command.ts";
import { meantSession, whoseOf } from "../support/place.ts";

const MAX_NOTE = 2_000;

export const save: Spec = {
	about: "save the session's state now, with a note",
	args: [argument("[note...]", "a note to save with it")],
	options: [
		SESSION,
		JSON_OUT,
		option("--auto", "started by a measurement, with nobody to read what it prints", { isHidden: true }),
	],
	help: "\nExample:\n  ccg checkpoint save before the port to TypeScript",
	act(io, { session: named, auto }: Given & { auto?: boolean }, words: string[]) {
		const session = meantSession(named, io);
		const due: Due = auto ? HIGH_USE : { trigger: "manual_request", reason: "asked for with 'ccg checkpoint save'" };
		const note = words.join(" ").trim();
		if (note.length > MAX_NOTE) throw new Error(`the note has ${note.length} characters; ${MAX_NOTE} is the most`);
		const checkpoint = savePresent(session, due, io, safeText(note));
		if (!checkpoint && auto) return;
		if (!checkpoint) throw new Error(`nothing was saved of session ${session.id}: its transcript can't be read`);
		const { key, at, trigger, type } = checkpoint;
		const { validation } = judge({ sid: session.id, key }, io);
		if (!validation.valid) io.exit(1);
		writeReadable(session, checkpoint);
		return {
			json: { key, type, trigger, at, session: session.id, path: checkpointPath(session, key), validation },
			text: savedReport(checkpoint, validation),
		};
	},
};

/** `ccg checkpoint validate`: the process ends 1 when one is not fit for a restore. */
export const validate: Spec = {
	about: "check checkpoints: checksum, age, coverage",
	args: [argument("[key...]", "keys or types (default: all of this project; prints those that can't be restored)")],
	options: [SESSION, ALL, JSON_OUT],
	help: "\nExample:\n  ccg checkpoint validate latest\n\nExit codes: 0 all can be restored, 1 one can't or it failed, 2 wrong use.",
	act(io, given: Given, named: string[]) {
		const isNamed = named.length > 0;
		const found = isNamed
			? named.map((key) => pickCheckpoint(key, given.session, io))
			: storedCheckpoints(storeOf(io), whoseOf(given, io)).map((one) => judge(one, io));
		const checkpoints = found.map(({ validation }) => validation);
		const checked = found.length;
		const unfit = checkpoints.filter(({ valid }) => !valid).length;
		if (unfit > 0) io.exit(1);
		const told = checkpoints.filter(({ valid }) => isNamed || !valid).flatMap(validationReport);
		const text = [...told, `${checked} validated, ${unfit} not fit for a restore.`];
		return {
			json: { valid: unfit === 0, checked, unfit, checkpoints },
			text: checked === 0 ? "There is no checkpoint to validate." : text,
		};
	},
};

export const remove: Spec = {
	about: "delete checkpoints",
	args: [argument("<key...>", "keys, or their beginnings")],
	options: [SESSION, YES, JSON_OUT],
	help: "\nExample:\n  ccg checkpoint delete manual_checkpoint_20260131_090500\n\nThe last compaction's own checkpoint is deleted only with: ccg --anyway checkpoint delete KEY\nExit codes: 0 deleted or declined, 1 failed, 2 nobody to ask and no --yes.",
	async act(io, { session: of, yes }: Given, named: string[]) {
		const found = named.map((one) => pickCheckpoint(one, of, io));
		for (const { session, key } of found)
			if (!io.anyway && isInUse(readCycle(session), key))
				throw new Error(
					`${key} is what the last compaction of session ${session.id} goes by; to delete it: ccg --anyway checkpoint delete ${key}`,
				);
		const nameOf = ({ key, session }: (typeof found)[number]): string => `${key} of session ${session.id}`;
		const these = found.length === 1 ? "this checkpoint" : "these checkpoints";
		if (!(await isConfirmed(`${found.map(nameOf).join("\n")}\nDelete ${these}?`, yes, io))) return;
		const deleted = found.filter(({ session, key }) => deleteCheckpoint(session, key));
		return {
			json: { deleted: deleted.map(({ key, session }) => ({ key, session: session.id })) },
			text: deleted.map((one) => `deleted ${nameOf(one)}`),
		};
	},
};
