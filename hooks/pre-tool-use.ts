import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { preToolUse } from "../src/events/pre-tool-use.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { haltGateForUnread, type Judge, withHaltGate } from "../src/events/steps/halt-gate.ts";

rulesFrom((): RedactionRules => require("../src/core/redact/rules.ts"));
const judge = (bundle = "../src/events/steps/judge"): Judge => require(bundle);
runHook("pre-tool-use", withHaltGate(preToolUse, judge), haltGateForUnread(judge));
