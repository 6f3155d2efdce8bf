import { runHook } from "../src/events/run/run-hook.ts";
import { sessionEnd } from "../src/events/session-end.ts";

runHook("session-end", sessionEnd);
