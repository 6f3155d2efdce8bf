import { postToolUse } from "../src/events/post-tool-use.ts";
import { runHook } from "../src/events/run/run-hook.ts";

runHook("post-tool-use", postToolUse);
