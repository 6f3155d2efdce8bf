import { type Rules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { guarded, guardUnread, type Judge } from "../src/events/guard.ts";
import { preToolUse } from "../src/events/pre-tool-use.ts";
import { runHook } from "../src/events/run-hook.ts";

rulesFrom((): Rules => require("../src/core/redact/rules.ts"));
const judge = (bundle = "../src/events/judge"): Judge => require(bundle);
runHook("pre-tool-use", guarded(preToolUse, judge), guardUnread(judge));
