import * as z from "zod/mini";

/** A line of a transcript, as far as the tree is concerned. */
export const transcriptNode = z.object({
	uuid: z.string(),
	/** `null` at a root, missing where the line names none. At a compaction's boundary: the message before it. */
	parent: z.exactOptional(z.nullable(z.string())),
	kind: z.enum(["prompt", "answer", "result", "other"]),
	/** Of an answer: one message of the model may stand in several lines. */
	messageId: z.exactOptional(z.string()),
});
