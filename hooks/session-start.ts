import { runHook } from "../src/events/run/run-hook.ts";
import { sessionStart } from "../src/events/session-start.ts";
import { evenUnsaved } from "../src/events/steps/even-unsaved.ts";

runHook("session-start", evenUnsaved(sessionStart));
