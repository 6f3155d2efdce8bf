import { AGENT_COMMANDS } from "./agent-commands.ts";
import type { Commands } from "./support/command.ts";

/** Every command of ccg. */
export const ALL_COMMANDS: Commands = {
	install: async () => (await import("./commands/install.ts")).install,
	uninstall: async () => (await import("./commands/uninstall.ts")).uninstall,
	doctor: async () => (await import("./commands/doctor.ts")).doctor,
	demo: async () => (await import("./commands/demo.ts")).demo,
	status: async () => (await import("./commands/status.ts")).status,
	statusline: async () => (await import("./commands/statusline.ts")).statusline,
	show: async () => (await import("./commands/show.ts")).show,
	...AGENT_COMMANDS,
	checkpoint: {
		...AGENT_COMMANDS.checkpoint,
		commands: {
			save: async () => (await import("./commands/checkpoint.ts")).save,
			...AGENT_COMMANDS.checkpoint.commands,
			validate: async () => (await import("./commands/checkpoint.ts")).validate,
			restore: async () => (await import("./commands/checkpoint-restore.ts")).restore,
			delete: async () => (await import("./commands/checkpoint.ts")).remove,
		},
	},
	sync: {
		about: "the same memory on several machines: by a folder they all see, a git repository, or a PostgreSQL server",
		help: `
Examples:
  ccg sync init ~/Sync/memory               here, in a project's folder
  ccg sync join ~/Sync/memory               on another machine; it shows a code
  ccg sync join CODE                        here again: takes that machine in
  ccg sync now                              exchanges; sessions do it by themselves

docs/guide.md says what is shared.`,
		bare: "status",
		commands: {
			init: async () => (await import("./commands/sync.ts")).init,
			join: async () => (await import("./commands/sync.ts")).join,
			now: async () => (await import("./commands/sync.ts")).now,
			status: async () => (await import("./commands/sync.ts")).status,
			leave: async () => (await import("./commands/sync.ts")).leave,
		},
	},
	index: async () => (await import("./commands/index.ts")).index,
	gc: async () => (await import("./commands/gc.ts")).gc,
	config: {
		about:
			"show the configuration in force here, and choose profiles: named sets of keys, as YAML in the store's profiles/",
		help: "\nExamples:\n  ccg config\n  ccg config use careful\n  ccg config use none",
		bare: "show",
		commands: {
			show: async () => (await import("./commands/config.ts")).show,
			use: async () => (await import("./commands/config.ts")).use,
		},
	},
	mcp: async () => (await import("./commands/mcp.ts")).mcp,
};
