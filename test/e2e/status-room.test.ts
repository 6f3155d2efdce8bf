import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { statusLineColumns } from "../../src/core/pressure/status-parts.ts";
import { claudeSandbox } from "./claude-sandbox.ts";

test.each([0, 2])(
	"the client shows what fits the room and cuts one column more, with a padding of %i",
	async (padding) => {
		const made = claudeSandbox([], { install: null });
		// two rulers that end in Z: one as wide as the room, one a column wider
		const script = join(made.home, "rulers");
		writeFileSync(
			script,
			`#!/bin/sh
cat >/dev/null
room=$((COLUMNS - ${-statusLineColumns(1_000, padding) + 1_000}))
for width in $room $((room + 1)); do printf "$COLUMNS>%$((width - \${#COLUMNS} - 1))s\\n" Z; done
`,
		);
		chmodSync(script, 0o755);
		made.settings((settings) => {
			settings.statusLine = { type: "command", command: script, padding, refreshInterval: 1 };
		});
		const terminal = made.terminal();
		for (const columns of [150, 81, 40]) {
			terminal.resize(columns);
			const rulers = new RegExp(`^ *${columns}>.*\\n.*${columns}>.*$`, "m");
			const [fits, cut] = rulers.exec(await terminal.shows(rulers))![0].split("\n");
			expect(fits).toMatch(/Z *$/);
			expect(cut).not.toContain("Z");
		}
	},
);
