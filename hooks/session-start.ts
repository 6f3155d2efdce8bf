import { runHook } from "../src/events/run-hook.ts";
import { sessionStart } from "../src/events/session-start.ts";

runHook("session-start", sessionStart);
