import { postToolBatch } from "../src/events/post-tool-batch.ts";
import { runHook } from "../src/events/run/run-hook.ts";

runHook("post-tool-batch", postToolBatch);
