import { type Rules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { runHook } from "../src/events/run-hook.ts";
import { usage } from "../src/events/usage.ts";

rulesFrom((bundle = "../src/core/redact/rules"): Rules => require(bundle));
runHook("usage", usage);
