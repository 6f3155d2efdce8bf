import type * as z from "zod/mini";
import type * as shapes from "./checkpoint-shape.ts";

export type Checkpoint = z.infer<typeof shapes.checkpoint>;
/** A checkpoint's facts about the workspace, beside the session's state. */
export type Workspace = z.infer<typeof shapes.workspace>;
/** Lines that stand in the context word for word beside a summary: their places, without `to` up to now. */
export type VerbatimRange = z.infer<typeof shapes.kept>;

/** A checkpoint as lists show it. */
export interface LoggedCheckpoint {
	sid: string;
	key: string;
	type: string;
	/** ISO 8601. */
	at: string;
	trigger: string;
	tokens: number | null;
	/** The size of its JSON, in characters. */
	bytes: number;
	reason?: string;
	project?: string;
}

export type CheckpointContent = Omit<Checkpoint, "key" | "version" | "at" | "session" | "sha256">;

/** Which checkpoints to list: those of a session, of a project (`Project.key`), or all; of a type, or of any. */
export type CheckpointFilter = { sid?: string; project?: string; type?: string | undefined };

/** A checkpoint that the user wants back, with the text for the model, made when it was asked for. */
export interface RestoreRequest {
	key: string;
	/** ISO 8601. */
	at: string;
	text: string;
}

/** Who gets a restored checkpoint: a session that runs, or the next one of a project (`Project.key`). */
export type Target = { session: string } | { project: string };

/** Who gets a restored checkpoint, in words. */
export const targetName = (target: Target): string =>
	"session" in target ? `session ${target.session}` : `project ${target.project}`;
