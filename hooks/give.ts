import { give } from "../src/events/give.ts";
import { runHook } from "../src/events/run-hook.ts";

runHook("give", give);
