import { type RedactionRules, rulesFrom } from "../core/redact/lazy-rules.ts";
import { type MeaningBundle, meaningFrom } from "../embeddings/lazy-meaning.ts";
import { serve } from "./serve.ts";

rulesFrom((): RedactionRules => require("../core/redact/rules.ts"));
meaningFrom((bundle = "../embeddings/meaning"): MeaningBundle => require(bundle));
serve();
