import { readFileSync } from "node:fs";
import { type ClaudeSandbox, transcriptOf } from "./claude-sandbox.ts";

const KEPT = new Set(["user", "assistant", "system"]);
const DROPPED = ["stop_hook_summary", "turn_duration", "local_command"];

/** A session's transcript as a fixture: the lines that matter, with the scratch paths and the id replaced. */
export function recorded(made: ClaudeSandbox, sid: string): string {
	return readFileSync(transcriptOf(made, sid), "utf8")
		.split("\n")
		.filter(Boolean)
		.map((line) => JSON.parse(line))
		.filter((entry) => KEPT.has(entry.type) && !DROPPED.includes(entry.subtype) && !entry.isMeta)
		.map(
			(entry) =>
				`${JSON.stringify(entry)
					.replaceAll(made.project, "{{PROJECT}}")
					.replaceAll(made.home, "{{HOME}}")
					.replaceAll(sid, "{{SESSION}}")}\n`,
		)
		.join("");
}
