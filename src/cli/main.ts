import { type RedactionRules, rulesFrom } from "../core/redact/lazy-rules.ts";
import { type MeaningBundle, meaningFrom } from "../embeddings/lazy-meaning.ts";
import { registerAll } from "./commands/all.ts";
import { start } from "./start.ts";

rulesFrom((): RedactionRules => require("../core/redact/rules.ts"));
meaningFrom((bundle = "../embeddings/meaning"): MeaningBundle => require(bundle));
start(registerAll);
