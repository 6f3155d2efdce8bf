import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shellQuote } from "../../src/core/text/quoted.ts";
import { runNow } from "../../test/kit/process.ts";

const CCSTATUSLINE = "2.2.30";

export interface Peer {
	name: string;
	command: string;
}

/**
 * The command of the original design's status line as a script in `folder`: stdin read by `cat`, the used share by two jq
 * calls, a marker file above 65%. `null` without jq.
 */
export function originalDesign(folder: string): Peer | null {
	if (!Bun.which("jq") || !Bun.which("bash")) return null;
	const path = join(folder, "original-design.sh");
	writeFileSync(path, ORIGINAL_DESIGN);
	return { name: "original design: bash, cat, 2 × jq", command: `bash ${shellQuote(path)}` };
}

const ORIGINAL_DESIGN = `#!/usr/bin/env bash
input=$(cat)
marker=$HOME/.claude-memory/flush-marker.json
if [ ! -f "$marker" ]; then
	used=$(jq '.context_window.current_usage | [.input_tokens, .cache_creation_input_tokens, .cache_read_input_tokens] | map(. // 0) | add' <<<"$input")
	size=$(jq '.context_window.context_window_size // 0' <<<"$input")
	if [ "\${size:-0}" -gt 0 ] && [ "\${used:-0}" -gt 0 ]; then
		share=$((used * 100 / size))
		if [ "$share" -gt 65 ]; then
			mkdir -p "\${marker%/*}"
			printf '{"used_pct":%d,"flushed":false}' "$share" >"$marker"
		fi
	fi
fi
echo "context \${share:-?}%"
`;

/** The command of ccstatusline, brought from npm into `cache` when it is not there; `null` when it can't be had. */
export function ccstatusline(cache: string): Peer | null {
	if (!Bun.which("node")) return null;
	const prefix = join(cache, `ccstatusline-${CCSTATUSLINE}`);
	const folder = join(prefix, "node_modules", "ccstatusline");
	if (!existsSync(join(folder, "package.json"))) {
		mkdirSync(prefix, { recursive: true });
		writeFileSync(join(prefix, "package.json"), '{"private":true}\n');
		const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
		runNow(["npm", "install", "--prefix", prefix, ...quiet, `ccstatusline@${CCSTATUSLINE}`]);
	}
	try {
		const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
		const entry = typeof bin === "string" ? bin : (Object.values(bin)[0] as string);
		return { name: `ccstatusline ${CCSTATUSLINE} (node)`, command: `node ${shellQuote(join(folder, entry))}` };
	} catch {
		return null;
	}
}
