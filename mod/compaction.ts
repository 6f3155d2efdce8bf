import type { EngineInterface } from "claude-code";
import { runHookEntry } from "./launcher.ts";

/** So the entries know whose run it is. */
const MOD = {};

/**
 * Saves the checkpoint before the compaction and gives what the summariser is told; `""` when that failed: the PreCompact hook,
 * which comes later, does it then.
 */
export async function prepare(
	$: EngineInterface,
	{ trigger, instructions }: { trigger: string; instructions?: string },
	toolUseIds: readonly string[],
): Promise<string> {
	return runHookEntry($, "pre-compact", {
		hook_event_name: "PreCompact",
		trigger,
		custom_instructions: instructions ?? null,
		tool_calls: toolUseIds.map((id) => ({ tool_use_id: id })),
		mod: MOD,
	});
}

/** Appends behind the summary what belongs there, both parts at once, and tells the user what was lost. */
export async function compacted(
	$: EngineInterface,
	messages: readonly { role: string; text?: string }[],
): Promise<void> {
	try {
		const said = await runHookEntry($, "mod-compacted", {
			hook_event_name: "ModCompacted",
			compact_summary: messages[0]?.text ?? "",
			mod: MOD,
		});
		const { block, followUp, line } = said ? JSON.parse(said) : {};
		for (const text of [block, followUp]) if (text) await append($, text);
		// a row of its own below the summary's; Claude Code writes the plugin's name before it
		if (line) await $.clock.after(SETTLED_MS, () => $.ui.log(line.replace(/^ccg: /, "")));
	} catch {
		// the next tool call or prompt finds what is left to inject
	}
}

/** By then the conversation as compacted is on the screen. */
const SETTLED_MS = 1_000;

async function append($: EngineInterface, text: string): Promise<void> {
	await $.session.append({ message: { type: "user", content: [{ type: "text", text }] } });
}
