import { TRIGGERS, type TriggerName } from "../core/recovery/checkpoints/triggers.ts";
import { type Config, loadConfig } from "../store/config/config.ts";
import type { DoctorCheck } from "./check.ts";

/** What takes a checkpoint in this folder, by its names, with what the configuration says of it. */
export function checkTriggers(root: string | null, folder: string): DoctorCheck {
	const { checkpoints } = loadConfig(root, { folder, tell() {} }).config;
	const names = Object.keys(TRIGGERS) as TriggerName[];
	const off = names.filter((name) => settingOf(name, checkpoints) === null);
	const on = names.filter((name) => !off.includes(name)).map((name) => `${name}${settingOf(name, checkpoints)}`);
	const detail = `${on.join(", ")}${off.length ? `; off: ${off.join(", ")}` : ""}`;
	return { id: "checkpoints.triggers", title: "checkpoints", status: "info", detail };
}

/** What stands behind the name; `null` for one that is off. */
function settingOf(
	name: TriggerName,
	{ usageShare, waveAgents, phases, minutes }: Config["checkpoints"],
): string | null {
	if (name === "high_token_usage") return usageShare > 0 ? ` (${Math.round(usageShare * 100)} %)` : null;
	if (name === "wave_complete") return waveAgents > 0 ? "" : null;
	if (name === "phase_transition") return phases ? "" : null;
	if (name === "time_based") return minutes > 0 ? ` (${minutes} minutes)` : null;
	return "";
}
