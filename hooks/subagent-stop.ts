import { runHook } from "../src/events/run/run-hook.ts";
import { subagentStop } from "../src/events/subagent-stop.ts";

runHook("subagent-stop", subagentStop);
