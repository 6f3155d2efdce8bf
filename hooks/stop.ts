import { type Rules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { stop } from "../src/events/stop.ts";

rulesFrom((): Rules => require("../src/core/redact/rules.ts"));
runHook("stop", stop);
