import { runHook } from "../src/events/run-hook.ts";
import { usage } from "../src/events/usage.ts";

runHook("usage", usage);
