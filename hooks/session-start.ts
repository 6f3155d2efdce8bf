import { type Rules, rulesFrom } from "../src/core/redact/lazy-rules.ts";
import { runHook } from "../src/events/run/run-hook.ts";
import { sessionStart } from "../src/events/session-start.ts";

rulesFrom((): Rules => require("../src/core/redact/rules.ts"));
runHook("session-start", sessionStart);
