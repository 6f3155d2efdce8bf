import { guarded, guardUnread } from "../src/events/guard.ts";
import { preToolUse } from "../src/events/pre-tool-use.ts";
import { runHook } from "../src/events/run-hook.ts";

runHook("pre-tool-use", guarded(preToolUse), guardUnread);
