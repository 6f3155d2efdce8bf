import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { preCompact } from "../src/events/pre-compact.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { evenUnsaved } from "../src/events/steps/even-unsaved.ts";
import { lateFrom } from "../src/events/steps/late.ts";

rulesFrom((bundle = "../src/core/redact/rules"): RedactionRules => require(bundle));
lateFrom({ told: (bundle = "../src/events/steps/behind-compaction") => require(bundle) });
lateFrom({ entries: (bundle = "../src/install/entries") => require(bundle) });
runHook("pre-compact", evenUnsaved(preCompact));
