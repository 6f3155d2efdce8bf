/** What only some runs of the hooks that start light need, in a bundle of its own: what is told behind a compaction, and checkpoints. */
export { saveForTriggers } from "../../claude/recovery/take-checkpoint.ts";
export { writeReadableCheckpoint, writeWorkspaceFile } from "../../store/recovery/workspace-file.ts";
export { claimRecoveryBlock, settleCompaction } from "./compaction.ts";
export { claimFollowUpTexts, keepDueReport } from "./follow-up-block.ts";
export { answerUnsaved } from "./recovery-block.ts";
