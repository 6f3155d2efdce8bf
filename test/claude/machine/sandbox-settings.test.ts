import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isStoreClosed, sandboxAdvice } from "../../../src/claude/machine/sandbox-settings.ts";
import { scratch } from "../../scratch-home.ts";

const ON = { enabled: true };
const lets = (...allowWrite: string[]) => ({ sandbox: { ...ON, filesystem: { allowWrite } } });
const may = (rule: string, more: object = {}) => ({ sandbox: ON, permissions: { allow: [rule], ...more } });

/** What the advice says. */
const ADVISED = {
	allowWrite: ["~/.claude-memory"],
	denyWrite: ["~/.claude-memory/app", "~/.claude-memory/ccg"],
};

/** As Claude Code 2.1.332 has it: whether `ccg memory save` of the agent writes its note. */
const CASES: [settings: object, isClosed: boolean, local?: object][] = [
	[{}, false],
	[{ sandbox: { enabled: false } }, false],
	[{ sandbox: ON }, true],
	[{ sandbox: ON }, false, { sandbox: { enabled: false } }],
	[{}, true, { sandbox: ON }],
	[lets("~/.claude-memory"), false],
	[lets("~/.claude-memory/**"), false],
	[lets("~"), false],
	[lets("HOME/.claude-memory"), false],
	[lets("/HOME"), false],
	[lets("../.claude-memory"), false],
	[lets("~/.claude-*"), true],
	[lets("~/.claude"), true],
	[lets("~/.claude-memory/projects"), true],
	[lets("$HOME/.claude-memory"), true],
	[{ sandbox: { ...ON, filesystem: { allowWrite: ["~/.claude-memory"], denyWrite: ["~/.claude-memory"] } } }, true],
	[{ sandbox: { ...ON, filesystem: ADVISED } }, false],
	[may("Edit(~/.claude-memory/**)"), false],
	[may("Edit(~/.claude-memory/**)", { deny: ["Edit(~/.claude-memory/**)"] }), true],
	[may("Write(~/.claude-memory/**)"), true],
	[may("Edit"), true],
	[may("Bash(true)", { additionalDirectories: ["~/.claude-memory"] }), false],
	[{ sandbox: { ...ON, excludedCommands: ["HOME/.claude-memory/ccg:*"] } }, false],
	[{ sandbox: { ...ON, excludedCommands: ["HOME/.claude-memory/ccg *"] } }, false],
	[{ sandbox: { ...ON, excludedCommands: ["docker *"] } }, true],
	[{ sandbox: [] }, false],
	[{ sandbox: { enabled: true, filesystem: 5, excludedCommands: "x" }, permissions: [] }, true],
];

test.each(CASES)("%j closes the store: %s", (settings, isClosed, local) => {
	const top = scratch("closed");
	const [home, folder] = [join(top, "home"), join(top, "project")];
	const write = (path: string, value: object = {}) => {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, JSON.stringify(value).replaceAll("HOME/", `${home}/`).replaceAll('/HOME"', `/${home}"`));
	};
	write(join(home, ".claude", "settings.json"), settings);
	write(join(folder, ".claude", "settings.local.json"), local);
	const store = join(home, ".claude-memory");
	const isClosedIn = (at: string) => isStoreClosed(store, `${store}/ccg`, at, { HOME: home });
	expect(isClosedIn(folder)).toBe(isClosed);
	// who started in the home folder may write there
	expect(isClosedIn(home)).toBe(isClosed && JSON.stringify(settings).includes("deny"));
});

test("the advice names the folder as it is written into settings", () => {
	expect(sandboxAdvice("/home/x/.claude-memory", { HOME: "/home/x" }).fix).toContain(
		'sandbox.filesystem: {"allowWrite":["~/.claude-memory"],"denyWrite":["~/.claude-memory/app","~/.claude-memory/ccg"]}',
	);
	expect(sandboxAdvice("/data/ccg", { HOME: "/home/x" }).fix).toContain(
		'"allowWrite":["/data/ccg"],"denyWrite":["/data/ccg/app","/data/ccg/ccg"]',
	);
});
