import type { CheckpointFile } from "../../core/checkpoint/fit.ts";
import { parseObject } from "../../files/json-file.ts";
import { checkSeal } from "../gate.ts";
import type { Session } from "../session-handle.ts";
import { checkpointJson } from "./checkpoints.ts";

/** A checkpoint as it is kept, with what is wrong with it. */
export function readCheckpointFile(session: Session, key: string): CheckpointFile {
	const about = { key, session: session.id };
	const text = checkpointJson(session, key);
	if (text === null) return { ...about, ...unusableCheckpoint("there is no such checkpoint") };
	return { ...about, ...parseCheckpoint(text) };
}

/** A checkpoint's text, of the store or of any file: parsed, checked by its schema, its seal looked at. Never throws. */
export function parseCheckpoint(text: string): Pick<CheckpointFile, "checkpoint" | "problem" | "seal"> {
	const value = parseObject(text, 3);
	if (!value) return unusableCheckpoint(text.trim() ? "not a JSON object, or one of too many parts" : "empty");
	if (Number(value.version) > 1) return unusableCheckpoint(`written by a newer ccg (${value.version})`);
	// loaded here: lists ask for none
	const shapes: typeof import("../../core/checkpoint/checkpoint-shape.ts") = require("../../core/checkpoint/checkpoint-shape.ts");
	const checked = shapes.checkpoint.safeParse(value);
	if (!checked.success) {
		const issue = checked.error.issues[0];
		return unusableCheckpoint(`${issue?.path.join(".") || "the file"}: ${issue?.message ?? "not of the schema"}`);
	}
	return { checkpoint: checked.data, seal: checkSeal(value) };
}

const unusableCheckpoint = (problem: string): ReturnType<typeof parseCheckpoint> => ({
	checkpoint: null,
	problem,
	seal: "none",
});
