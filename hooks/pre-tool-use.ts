import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { preToolUse } from "../src/events/pre-tool-use.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { haltGateForUnread, type Judge, withHaltGate } from "../src/events/steps/halt-gate.ts";
import { lateFrom } from "../src/events/steps/late.ts";

rulesFrom((bundle = "../src/core/redact/rules"): RedactionRules => require(bundle));
lateFrom((bundle = "../src/events/steps/behind-compaction") => require(bundle));
const judge = (bundle = "../src/guard/judge"): Judge => require(bundle);
runHook("pre-tool-use", withHaltGate(preToolUse, judge), haltGateForUnread(judge));
