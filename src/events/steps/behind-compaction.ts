/** What is told behind a compaction, for hooks that start light: a bundle of its own, which few of their runs need. */
import { type RedactionRules, rulesFrom } from "../../core/redact/lazy-rules.ts";
import { keepOut } from "../../core/redact/secrets.ts";
import { lookAround, ownVariables } from "../../store/project-store.ts";

// (a bundle has a gate of its own, which knows nothing of the entry's)
rulesFrom((bundle = "../../core/redact/rules"): RedactionRules => require(bundle));
keepOut(ownVariables(lookAround(process.env, [process.env.CLAUDE_PROJECT_DIR ?? process.env.CCG_CWD])));

export { checkpointMarkdown } from "../../core/block/views.ts";
export { writeReadable } from "../../store/recovery/workspace-file.ts";
export { blockAtStart } from "./compaction.ts";
export { injectFollowUp } from "./follow-up-block.ts";
export { unsaved } from "./recovery-block.ts";
