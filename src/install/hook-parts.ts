/** What an entry does; each is a file in `hooks/`. */
export const HOOK_PARTS = [
	"session-start",
	"pre-tool-use",
	"user-prompt-submit",
	"post-tool-batch",
	"stop",
	"subagent-stop",
	"pre-compact",
	"session-end",
	"post-compact",
] as const;
export type HookPart = (typeof HOOK_PARTS)[number];
export type EntryName = HookPart | "statusline";

/** Entries in `hooks/` that the mod starts (`mod/`); no settings file registers them. */
export const MOD_PARTS = ["mod-measure", "mod-compacted"] as const;
