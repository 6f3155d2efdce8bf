import { runHook } from "../src/events/run-hook.ts";
import { stop } from "../src/events/stop.ts";

runHook("stop", stop);
