import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { preToolUse } from "../src/events/pre-tool-use.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { haltGateForUnread, withHaltGate } from "../src/events/steps/halt-gate.ts";
import { lateFrom } from "../src/events/steps/late.ts";

rulesFrom((bundle = "../src/core/redact/rules"): RedactionRules => require(bundle));
lateFrom({ told: (bundle = "../src/events/steps/behind-compaction") => require(bundle) });
lateFrom({ judge: (b = "../src/guard/judge") => require(b), entries: (b = "../src/install/entries") => require(b) });
runHook("pre-tool-use", withHaltGate(preToolUse), haltGateForUnread);
