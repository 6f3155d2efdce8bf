import { preCompact } from "../src/events/pre-compact.ts";
import { runHook } from "../src/events/run-hook.ts";

runHook("pre-compact", preCompact);
