import { resolve } from "node:path";
import { isObject, usageOf } from "../core/transcript/decode.ts";
import { type Json, parseBoundedJson } from "../core/transcript/quiet-json.ts";
import { isSessionId } from "../store/paths.ts";
import { MAX_INPUT_BYTES } from "./hook-input.ts";

/** What ccg reads of the status line's stdin. Everything may be missing. */
export interface StatusLineInput {
	sid: string | null;
	model: string | null;
	modelName: string | null;
	version: string | null;
	/** Context size of the last response; `null` before the first and right after a compaction. */
	tokens: number | null;
	window: number | null;
	/** When the prompt cache expires (ms since 1970), and whether it lives an hour, not five minutes. */
	cache: { expires: number; isLong: boolean } | null;
	cwd: string;
	projectDir: string;
	transcriptPath: string;
	agent: boolean;
}

/** Parses the status line's stdin; `null` where it holds no JSON object or is too large. A field of the wrong type is absent. Never throws. */
export function parseStatusLine(bytes: Uint8Array): StatusLineInput | null {
	if (bytes.length > MAX_INPUT_BYTES) return null;
	const raw = parseBoundedJson(Buffer.from(bytes).toString("utf8"));
	if (!isObject(raw)) return null;
	const part = (name: string): Json => Object(raw[name]);
	const [model, window, workspace, cache] = [
		part("model"),
		part("context_window"),
		part("workspace"),
		part("prompt_cache"),
	];
	const cwd = shortString(raw.cwd) ?? shortString(workspace.current_dir) ?? "";
	const projectDir = shortString(workspace.project_dir) ?? cwd;
	const transcript = shortString(raw.transcript_path);
	const size = window.context_window_size;
	return {
		sid: isSessionId(raw.session_id) ? raw.session_id : null,
		model: shortString(model.id),
		modelName: shortString(model.display_name) ?? shortString(model.id),
		version: shortString(raw.version),
		tokens: usageOf(window.current_usage)?.tokens ?? null,
		window: typeof size === "number" && size > 0 ? size : null,
		cache:
			typeof cache.expires_at === "number" ? { expires: cache.expires_at * 1000, isLong: cache.ttl === "1h" } : null,
		cwd,
		projectDir,
		// relative with a relative CLAUDE_CONFIG_DIR
		transcriptPath: transcript ? resolve(projectDir, transcript) : "",
		agent: raw.agent_id !== undefined,
	};
}

/** An id or a path; `null` where the value is no string, empty or too long. */
const shortString = (value: unknown): string | null =>
	typeof value === "string" && value && value.length <= MAX_TEXT ? value : null;
const MAX_TEXT = 4_096;
