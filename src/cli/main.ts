import { type RedactionRules, rulesFrom } from "../core/redact/lazy-rules.ts";
import { ALL_COMMANDS } from "./all-commands.ts";
import { start } from "./program.ts";

rulesFrom((): RedactionRules => require("../core/redact/rules.ts"));
start(ALL_COMMANDS);
