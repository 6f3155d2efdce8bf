import { postCompact } from "../src/events/post-compact.ts";
import { runHook } from "../src/events/run/run-hook.ts";

runHook("post-compact", postCompact);
