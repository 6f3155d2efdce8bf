/**
 * ccg as a mod of Claude Code: an extra beside the hooks, which stay the base. What it saves is processes: it asks Claude Code for
 * the exact pressure at each tool call, and starts one only when something is to be claimed. Whoever is first speaks, by the
 * same claims on the disk; without the mod the hooks do everything (docs/plugin.md).
 */
import type { EngineInterface, On } from "claude-code";
import { compacted, prepare } from "./compaction.ts";
import { runLauncher } from "./launcher.ts";
import { isMeasured, measureAt, startOver } from "./measure.ts";
import { MOD_VERSIONS } from "./versions.ts";

let isOn = false;
/** Events of which the sign stands; they may run beside each other. */
let signs = 0;
let lastBatch: string[] = [];

async function begin($: EngineInterface): Promise<void> {
	// a copy of the mod that was ended in the middle of an event may have left it
	await $.env.set("CCG_MOD", undefined);
	const { version, base } = await $.session.version();
	isOn = MOD_VERSIONS.includes(base ?? version);
	if (isOn)
		await $.command.register({
			name: "ccg",
			description: "What ccg knows of this session; 'report' tells what the last compaction lost",
			argumentHint: "[status|report]",
		});
}

export function register(on: On): void {
	on("session.start", async ($, e, next) => {
		try {
			await begin($);
		} catch {
			isOn = false;
		}
		return next(e);
	});

	on("tool.call", async ($, e, next) => {
		const result = await next(e);
		if (!isOn || e.agentId || result.deny !== undefined) return result;
		const nudge = await measureAt($, (await $.session.usage()).context);
		return nudge ? { ...result, context: [...(result.context ?? []), nudge] } : result;
	});

	// /clear and a resume begin another session in the same process
	on("classic.SessionStart", async ($, e, next) => {
		if (isOn && e.source !== "compact") startOver($);
		return next(e);
	});

	// the sign stands while the hooks of this event start: the transcript need not be measured as well. It is the session's id,
	// which a repository's settings can't name
	on("classic.PostToolBatch", async ($, e, next) => {
		if (!e.agent_id) lastBatch = (e.tool_calls ?? []).flatMap(({ tool_use_id: id }) => id ?? []);
		if (!isOn || !isMeasured()) return next(e);
		signs++;
		await $.env.set("CCG_MOD", await $.session.id());
		try {
			return await next(e);
		} finally {
			if (--signs === 0) await $.env.set("CCG_MOD", undefined);
		}
	});

	on("session.compact", async ($, e, next) => {
		// what is made ahead of time installs nothing
		if (!isOn || e.agentId || e.trigger === "precompute") return next(e);
		const steering = await prepare($, e, lastBatch);
		const result = await next(
			steering ? { ...e, instructions: [e.instructions, steering].filter(Boolean).join("\n\n") } : e,
		);
		startOver($);
		if (result.messages) await compacted($, result.messages);
		// never with other messages: Claude Code undoes such a compaction at the next resume
		return result;
	});

	on("command.run", { command: "ccg" }, async ($, e) => {
		const id = await $.session.id();
		const words = e.args.trim() === "report" ? ["show", "--as", "report", "--session", id] : ["status", id];
		const text = await runLauncher($, words);
		return { text: text || `ccg ${words[0]} gave nothing; try it in a terminal`, isTextDisplayOnly: true };
	});
}
