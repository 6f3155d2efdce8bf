import { context } from "../src/events/context.ts";
import { runHook } from "../src/events/run-hook.ts";

runHook("context", context);
