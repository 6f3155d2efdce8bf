import { modCompacted } from "../src/events/mod-compacted.ts";
import { runHook } from "../src/events/run/run-hook.ts";

runHook("mod-compacted", modCompacted);
