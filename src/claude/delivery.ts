import { attachmentHolds, hookAttachmentsAfter, lastBoundary } from "./compactions.ts";

/**
 * Whether the transcript shows that the block of checkpoint `key` reached the model: `unknown` where it shows neither, as on
 * versions that record no hooks.
 */
export function deliveryOf(transcriptPath: string, key: string): "yes" | "no" | "unknown" {
	try {
		const boundary = lastBoundary(transcriptPath);
		if (!boundary) return "unknown";
		if (attachmentHolds(transcriptPath, boundary.offset, key)) return "yes";
		return hookAttachmentsAfter(transcriptPath, boundary.offset, "SessionStart") ? "no" : "unknown";
	} catch {
		return "unknown";
	}
}
