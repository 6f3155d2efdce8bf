import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { modCompacted } from "../src/events/mod-compacted.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { lateFrom } from "../src/events/steps/late.ts";

rulesFrom((bundle = "../src/core/redact/rules"): RedactionRules => require(bundle));
lateFrom({ told: (bundle = "../src/events/steps/behind-compaction") => require(bundle) });
lateFrom({ entries: (bundle = "../src/install/entries") => require(bundle) });
runHook("mod-compacted", modCompacted);
