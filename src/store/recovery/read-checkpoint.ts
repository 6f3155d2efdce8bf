import type { CheckpointFile } from "../../core/recovery/checkpoints/validation.ts";
import { isTooBranched } from "../../core/transcript/quiet-json.ts";
import { readBytes } from "../json-file.ts";
import { checkSeal } from "../seal.ts";
import type { Session } from "../session-handle.ts";
import { CHECKPOINT, jsonPath } from "./checkpoints.ts";

/** A checkpoint as it lies there, with what is wrong with it. Unlike `loadCheckpoint` it moves nothing: looking at a damaged file leaves it. */
export function readCheckpointFile(session: Session, key: string): CheckpointFile & { bytes: number } {
	const about = { key, session: session.id };
	const file = readBytes(jsonPath(session, key), { follow: false });
	if (file.state === "absent") return { ...about, ...unusable("there is no such file"), bytes: 0 };
	if (file.state === "unreadable") return { ...about, ...unusable(file.reason), bytes: 0 };
	return { ...about, ...parseCheckpoint(file.text), bytes: file.identity.size };
}

/** A checkpoint's text, of the store or of any file: parsed, checked by its schema, its seal looked at. Never throws. */
export function parseCheckpoint(text: string): Pick<CheckpointFile, "checkpoint" | "problem" | "seal"> {
	if (isTooBranched(text, 3)) return unusable("too many parts, or too deep ones");
	let value: unknown;
	try {
		value = JSON.parse(text.replace(/^\uFEFF/, ""));
	} catch {
		return unusable(text.trim() ? "not JSON" : "empty");
	}
	if (value === null || typeof value !== "object" || Array.isArray(value)) return unusable("not a JSON object");
	const { version } = value as { version?: unknown };
	if (typeof version === "number" && version > CHECKPOINT.version)
		return unusable(`written by a newer ccg (${version})`);
	const checked = CHECKPOINT.schema.safeParse(value);
	if (!checked.success) {
		const issue = checked.error.issues[0];
		return unusable(`${issue?.path.join(".") || "the file"}: ${issue?.message ?? "not of the schema"}`);
	}
	return { checkpoint: checked.data, seal: checkSeal(value as Record<string, unknown>) };
}

const unusable = (problem: string): Pick<CheckpointFile, "checkpoint" | "problem" | "seal"> => ({
	checkpoint: null,
	problem,
	seal: "none",
});
