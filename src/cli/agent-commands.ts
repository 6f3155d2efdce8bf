import type { Commands } from "./support/command.ts";

/** What an agent calls while it works; `bin/ccg` starts these from a small bundle of their own. */
export const AGENT_COMMANDS = {
	recall: async () => (await import("./commands/recall.ts")).recall,
	memory: {
		about: "notes that outlive a session: MEMORY.md and daily logs, per project and for all projects",
		bare: "list",
		commands: {
			save: async () => (await import("./commands/memory.ts")).save,
			list: async () => (await import("./commands/memory.ts")).list,
			edit: async () => (await import("./commands/memory.ts")).edit,
			delete: async () => (await import("./commands/memory.ts")).remove,
			check: async () => (await import("./commands/memory.ts")).check,
			adopt: async () => (await import("./commands/memory.ts")).adopt,
		},
	},
	checkpoint: {
		about: "a session's state at a moment: save, list, validate, restore",
		help: `
KEY is a checkpoint's key or the beginning of it, or a type (precompact, manual, wave, phase, time), which means its newest.
Without KEY it is this project's newest. 'ccg show KEY' prints, compares and exports a checkpoint.
docs/guide.md says when checkpoints are taken.`,
		bare: "list",
		commands: {
			list: async () => (await import("./commands/checkpoint-list.ts")).list,
		},
	},
	task: {
		about:
			"keep a long task's state: goal, phase, decisions, failures, next action; and stop before the context is full",
		help: `
A session begins with: ccg task ensure --goal TEXT

Exit codes: 0 go on, 1 failed, 2 wrong use, 3 STATUS:MISSING_STATE (stop: the state can't be trusted),
4 STATUS:HALT_CONTEXT_LIMIT (the context is nearly full: stop, unless a person said otherwise), 5 STATUS:COMPLETE (nothing left to do;
'ccg task checkpoint --complete' itself ends 0: it did what was asked).`,
		bare: "status",
		commands: {
			status: async () => (await import("./commands/task.ts")).status,
			ensure: async () => (await import("./commands/task.ts")).ensure,
			checkpoint: async () => (await import("./commands/task-checkpoint.ts")).checkpoint,
			bundle: async () => (await import("./commands/task.ts")).bundle,
			archive: async () => (await import("./commands/task.ts")).archive,
			resume: async () => (await import("./commands/task.ts")).resume,
		},
	},
} satisfies Commands;
