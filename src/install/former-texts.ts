import type { HookPart } from "./hook-parts.ts";

/**
 * Command texts that versions before registered: still recognised, so that an installation over them replaces them and an
 * uninstall takes them out. `l` is the launcher as a quoted word, `w` the wrapped command.
 */
export const FORMER_BEGINNING = "unset -f '['; ";

const STORE = "$" + "{CCG_HOME:-$HOME/.claude-memory}";
const SESSION = "CLAUDE_CODE_SESSION_ID";

const checked = (part: HookPart) => (l: string) => `[ -x ${l} ] && ${l} hook ${part}; exit 0`;

const flush = `"${STORE}/run/flush/"\${${SESSION}:-*}`;
const halt = `"${STORE}/run/halt/"\${${SESSION}:-*}`;
const give = `"${STORE}/run/give/\${${SESSION}:--}"`;
const guard = (part: HookPart, markers: string) => (l: string) =>
	`for f in ${markers}; do [ -f "$f" ] && [ -x ${l} ] && { ${l} hook ${part}; exit 0; }; done; exit 0`;

export const FORMER_HOOKS: [HookPart, (l: string) => string][] = [
	["session-start", checked("session-start")],
	["pre-tool-use", guard("pre-tool-use", `${flush} ${halt} ${give}`)],
	["pre-tool-use", guard("pre-tool-use", `${flush} ${give}`)],
	["give", guard("give", `"${STORE}/run/give/"\${${SESSION}:-*}`)],
	["usage", (l) => `[ -e "${STORE}/run/statusline/\${${SESSION}:--}" ] || { [ -x ${l} ] && ${l} hook usage; }; exit 0`],
	["stop", checked("stop")],
	["pre-compact", checked("pre-compact")],
	["context", checked("context")],
	["post-compact", checked("post-compact")],
];

export const FORMER_STATUS_LINES: ((l: string, w: string) => string)[] = [
	(l) => `[ -x ${l} ] && ${l} statusline; exit 0`,
	(l, w) => `w=${w}; if [ -x ${l} ]; then ${l} statusline --wrap "$w"; else eval "$w"; fi`,
];

/** What stood before a command that was installed with `CCG_HOME`. */
export const formerHomePrefix = (home: string): string => `[ -n "$CCG_HOME" ] || CCG_HOME=${home}; export CCG_HOME; `;
