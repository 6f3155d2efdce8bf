import { modMeasure } from "../src/events/mod-measure.ts";
import { runHook } from "../src/events/run/run-hook.ts";

runHook("mod-measure", modMeasure);
