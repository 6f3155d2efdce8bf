import { type Rules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { give } from "../src/events/give.ts";
import { runHook } from "../src/events/run-hook.ts";

rulesFrom((bundle = "../src/core/redact/rules"): Rules => require(bundle));
runHook("give", give);
