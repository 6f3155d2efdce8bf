import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { sessionStart } from "../src/events/session-start.ts";
import { evenUnsaved } from "../src/events/steps/even-unsaved.ts";

rulesFrom((): RedactionRules => require("../src/core/redact/rules.ts"));
runHook("session-start", evenUnsaved(sessionStart));
