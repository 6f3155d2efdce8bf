import { type Rules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { context } from "../src/events/context.ts";
import { runHook } from "../src/events/run-hook.ts";

rulesFrom((): Rules => require("../src/core/redact/rules.ts"));
runHook("context", context);
