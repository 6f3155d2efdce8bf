import { type Rules, rulesFrom } from "../core/redact/lazy-rules.ts";
import { registerAll } from "./commands/all.ts";
import { start } from "./start.ts";

rulesFrom((): Rules => require("../core/redact/rules.ts"));
start(registerAll);
