import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { preCompact } from "../src/events/pre-compact.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { evenUnsaved } from "../src/events/steps/even-unsaved.ts";

rulesFrom((): RedactionRules => require("../src/core/redact/rules.ts"));
runHook("pre-compact", evenUnsaved(preCompact));
