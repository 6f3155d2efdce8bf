import { runHook } from "../src/events/run/run-hook.ts";
import { goodMoment } from "../src/events/stop.ts";

runHook("good-moment", goodMoment);
