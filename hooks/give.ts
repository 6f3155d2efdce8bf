import { type Rules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { give } from "../src/events/give.ts";
import { runHook } from "../src/events/run-hook.ts";

rulesFrom((): Rules => require("../src/core/redact/rules.ts"));
runHook("give", give);
