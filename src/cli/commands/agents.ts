import type { Register } from "../support/io.ts";
import { registerCheckpoint } from "./checkpoint.ts";
import { registerMemory } from "./memory.ts";
import { registerRecall } from "./recall.ts";
import { registerTask } from "./task.ts";

/** What an agent calls while it works; `bin/ccg` starts these from a small bundle of their own. `only`: the word behind the name. */
export const AGENT_COMMANDS: Record<string, (only?: string) => Register> = {
	memory: () => registerMemory,
	recall: () => (program, io) => registerRecall(program, io),
	checkpoint: () => (program, io) => registerCheckpoint(program, io),
	task: (only) => (program, io) => registerTask(program, io, { only }),
};
