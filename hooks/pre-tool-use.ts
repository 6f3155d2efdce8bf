import { preToolUse } from "../src/events/pre-tool-use.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { haltGateForUnread, withHaltGate } from "../src/events/steps/halt-gate.ts";

runHook("pre-tool-use", withHaltGate(preToolUse), haltGateForUnread);
