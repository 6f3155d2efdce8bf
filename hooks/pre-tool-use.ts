import { type Rules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { preToolUse } from "../src/events/pre-tool-use.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { guarded, guardUnread, type Judge } from "../src/events/steps/halt-gate.ts";

rulesFrom((): Rules => require("../src/core/redact/rules.ts"));
const judge = (bundle = "../src/events/steps/judge"): Judge => require(bundle);
runHook("pre-tool-use", guarded(preToolUse, judge), guardUnread(judge));
