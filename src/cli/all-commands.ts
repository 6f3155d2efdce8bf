import type { Group, Spec } from "./support/command.ts";

/** Every command of ccg, in the order of its help. Each loads its own file, and a group those of its commands. */
export const ALL_COMMANDS: Record<string, Group | (() => Promise<Spec>)> = {
	install: async () => (await import("./commands/install.ts")).install,
	uninstall: async () => (await import("./commands/uninstall.ts")).uninstall,
	doctor: async () => (await import("./commands/doctor.ts")).doctor,
	demo: async () => (await import("./commands/demo.ts")).demo,
	status: async () => (await import("./commands/status.ts")).status,
	statusline: async () => (await import("./commands/statusline.ts")).statusline,
	show: async () => (await import("./commands/show.ts")).show,
	recall: async () => (await import("./commands/recall.ts")).recall,
	memory: {
		about: "notes that outlive a session: MEMORY.md and daily logs, per project and for all projects",
		defaultCommand: "list",
		load: async () => (await import("./commands/memory.ts")).commands,
	},
	checkpoint: {
		about: "a session's state at a moment: save, list, validate, restore",
		help: `
A KEY is a checkpoint's key or the beginning of it, or a type for the newest of it: precompact, manual (saved by you), wave (subagents \
ended), phase (a plan approved, a commit, ...), time. Without one it is this project's newest. 'ccg show KEY' prints, compares and exports it.`,
		defaultCommand: "list",
		load: async () => (await import("./commands/checkpoint.ts")).commands,
	},
	task: {
		about:
			"what a long task needs to go on: goal, phase, decisions, failures, next action; and the stop before context runs out",
		help: `
A session begins with: ccg task ensure --goal TEXT

Exit codes: 0 go on, 1 failed, 2 wrong use, 3 STATUS:MISSING_STATE (stop: the state can't be trusted), \
4 STATUS:HALT_CONTEXT_LIMIT (autonomous work should end here, unless a person said otherwise), \
5 STATUS:COMPLETE (nothing left to do; 'ccg task checkpoint --complete' itself ends 0: it did what was asked).`,
		defaultCommand: "status",
		load: async () => (await import("./commands/task.ts")).commands,
	},
	sync: {
		about: "the same memory on several machines: by a folder they all see, a git repository, or a PostgreSQL server",
		help: `
Examples:
  ccg sync init ~/Sync/memory  # here, in a project's folder
  ccg sync join ~/Sync/memory  # on another machine; it shows a code
  ccg sync join CODE  # here again: lets that machine in
  ccg sync now  # on both; from then on sessions do it by themselves

docs/guide.md says what is shared.`,
		defaultCommand: "status",
		load: async () => {
			const { init, join, now, status, leave } = await import("./commands/sync.ts");
			return { init, join, now, status, leave };
		},
	},
	index: async () => (await import("./commands/index.ts")).index,
	gc: async () => (await import("./commands/gc.ts")).gc,
	config: {
		about:
			"show the configuration in force here, and choose profiles: named sets of keys, as JSON in the store's profiles/",
		help: "\nExamples:\n  ccg config\n  ccg config use careful\n  ccg config use none",
		defaultCommand: "show",
		load: async () => (await import("./commands/config.ts")).commands,
	},
};
