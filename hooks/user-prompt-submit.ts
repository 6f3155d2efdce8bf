import { type RedactionRules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { userPromptSubmit } from "../src/events/user-prompt-submit.ts";

rulesFrom((): RedactionRules => require("../src/core/redact/rules.ts"));
runHook("user-prompt-submit", userPromptSubmit);
