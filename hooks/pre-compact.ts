import { preCompact } from "../src/events/pre-compact.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { withUnsavedAnswer } from "../src/events/steps/even-unsaved.ts";

runHook("pre-compact", withUnsavedAnswer(preCompact));
