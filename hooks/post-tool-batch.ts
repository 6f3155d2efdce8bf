import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { postToolBatch } from "../src/events/post-tool-batch.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { lateFrom } from "../src/events/steps/late.ts";

rulesFrom((bundle = "../src/core/redact/rules"): RedactionRules => require(bundle));
lateFrom({ entries: (bundle = "../src/install/entries") => require(bundle) });
runHook("post-tool-batch", postToolBatch);
