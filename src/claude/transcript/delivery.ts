import { attachmentHolds, hookAttachmentsAfter, lastBoundary } from "./compactions.ts";

/**
 * Whether the transcript shows that the block of checkpoint `key` reached the model: `unknown` where it shows neither, as on
 * versions that record no hooks. `since`: when the compaction began; a boundary of before is another one's, since the transcript is
 * written behind the events.
 */
export function deliveryOf(transcriptPath: string, key: string, since = ""): "yes" | "no" | "unknown" {
	try {
		const boundary = lastBoundary(transcriptPath);
		if (!boundary) return "unknown";
		if (attachmentHolds(transcriptPath, boundary.offset, key)) return "yes";
		if (boundary.at < since) return "unknown";
		return hookAttachmentsAfter(transcriptPath, boundary.offset, "SessionStart") ? "no" : "unknown";
	} catch {
		return "unknown";
	}
}
