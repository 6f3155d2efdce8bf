/** What the plugin's folder holds in place of settings entries: made from the catalog, so that both register the same. */
import { catalog, type EntryName, HOOK_PARTS, hookCommand } from "../src/install/catalog.ts";

const RUN = "$" + "{CLAUDE_PLUGIN_ROOT}/hooks/run";

/** `hooks/hooks.json`. The command is ccg's own script and never a shell: a version that ignores `args` would have it run what is on stdin. */
export function pluginHooks() {
	const hooks: Record<string, { hooks: object[] }[]> = {};
	for (const { event, part, handler } of catalog("/ccg").hooks)
		hooks[event] = [...(hooks[event] ?? []), { hooks: [{ ...handler, command: RUN, args: argsOf(event, part) }] }];
	return { hooks };
}

/** Claude Code ends a plugin's SessionEnd hook after 1.5 s, whatever its timeout is: it goes on by itself. */
const argsOf = (event: string, part: EntryName): string[] => (event === "SessionEnd" ? [part, "detached"] : [part]);

/** `hooks/run`, for POSIX sh. */
export function hookRunner(): string {
	const cases = HOOK_PARTS.map((part) => `${part})\n\t${hookCommand(part, "run")}\n\t;;\n`);
	return `${HEAD}${DETACHED}case $1 in\n${cases.join("")}esac\nexit 0\n`;
}

const HEAD = `#!/bin/sh
# Made by scripts/make-plugin.ts: a change belongs into scripts/plugin-hooks.ts. Claude Code calls it with the name of a
# hook, the hook's input on stdin. Versions before 2.1.139 leave the name out: then it does nothing, and reads nothing.
# shellcheck disable=SC2015,SC2231
unset -f '[' read printf 2>/dev/null

ccg=\${0%/*}/../bin/ccg
run() {
	"$ccg" "$@" plugin
}

`;

const DETACHED = `# The end of a session goes on by itself, in a session of its own where there is a program for that.
if [ "$1 $2" = 'session-end detached' ]; then
	IFS= read -r input
	own=
	for candidate in /usr/bin/setsid /bin/setsid; do
		[ ! -x "$candidate" ] || own=$candidate
	done
	trap '' HUP
	printf '%s\\n' "$input" | $own "$ccg" hook session-end plugin >/dev/null 2>&1 &
	exit 0
fi

`;

/** `.mcp.json`. */
export const PLUGIN_MCP = {
	mcpServers: { ccg: { command: "$" + "{CLAUDE_PLUGIN_ROOT}/bin/ccg", args: ["mcp"] } },
};
