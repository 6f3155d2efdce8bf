/** What only some runs of the hooks that start light need, in a bundle of its own: what is told behind a compaction, and checkpoints. */
export { saveDue } from "../../claude/recovery/take-checkpoint.ts";
export { writeReadable, writeWorkspaceFile } from "../../store/recovery/workspace-file.ts";
export { blockAtStart } from "./compaction.ts";
export { injectFollowUp, reportDue } from "./follow-up-block.ts";
export { unsaved } from "./recovery-block.ts";
