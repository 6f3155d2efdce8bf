import { runHook } from "../src/events/run/run-hook.ts";
import { sessionStart } from "../src/events/session-start.ts";
import { withUnsavedAnswer } from "../src/events/steps/even-unsaved.ts";

runHook("session-start", withUnsavedAnswer(sessionStart));
