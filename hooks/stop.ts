import { runHook } from "../src/events/run/run-hook.ts";
import { stop } from "../src/events/stop.ts";

runHook("stop", stop);
