import { type RedactionRules, rulesFrom } from "../core/redact/lazy-rules.ts";
import { serve } from "./server.ts";

rulesFrom((): RedactionRules => require("../core/redact/rules.ts"));
serve();
