import { type RedactionRules, rulesFrom } from "../core/redact/lazy-rules.ts";
import { registerAll } from "./commands/all.ts";
import { start } from "./start.ts";

rulesFrom((): RedactionRules => require("../core/redact/rules.ts"));
start(registerAll);
