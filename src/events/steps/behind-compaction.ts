/** What is told behind a compaction, for hooks that start light: a bundle of its own, which few of their runs need. */
export { writeReadable, writeWorkspaceFile } from "../../store/recovery/workspace-file.ts";
export { blockAtStart } from "./compaction.ts";
export { injectFollowUp, reportDue } from "./follow-up-block.ts";
export { unsaved } from "./recovery-block.ts";
