import { runHook } from "../src/events/run/run-hook.ts";
import { userPromptSubmit } from "../src/events/user-prompt-submit.ts";

runHook("user-prompt-submit", userPromptSubmit);
