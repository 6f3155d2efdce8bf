import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isStoreClosed, sandboxAdvice } from "../../../src/claude/machine/sandbox-settings.ts";
import { scratch } from "../../scratch-home.ts";

const ON = { enabled: true };
const OFF = { sandbox: { enabled: false } };
const STORE = "~/.claude-memory";
const writes = (...allowWrite: string[]) => ({ sandbox: { ...ON, filesystem: { allowWrite } } });
const denies = (...denyWrite: string[]) => ({ sandbox: { ...ON, filesystem: { allowWrite: [STORE], denyWrite } } });
const excludes = (command: string) => ({ sandbox: { ...ON, excludedCommands: [command] } });
const permits = (rule: string, more: object = {}) => ({ sandbox: ON, permissions: { allow: [rule], ...more } });
const EDIT = `Edit(${STORE}/**)`;

/** As Claude Code 2.1.332 has it: whether `ccg memory save` of the agent writes its note. */
test.each<[settings: object, isClosed: boolean, local?: object]>([
	[{}, false],
	[OFF, false],
	[{ sandbox: ON }, true],
	[{ sandbox: ON }, false, OFF],
	[{}, true, { sandbox: ON }],
	[writes(`${STORE}/**`), false],
	[writes("~"), false],
	[writes("HOME/.claude-memory"), false],
	[writes("../.claude-memory"), false],
	[writes("~/.claude-*"), true],
	[writes("~/.claude"), true],
	[writes(`${STORE}/projects`), true],
	[writes("$HOME/.claude-memory"), true],
	[denies(STORE), true],
	// what the advice says
	[denies(`${STORE}/app`, `${STORE}/ccg`), false],
	[permits(EDIT), false],
	[permits(EDIT, { deny: [EDIT] }), true],
	[permits(`Write(${STORE}/**)`), true],
	[permits("Edit"), true],
	[permits("Bash(true)", { additionalDirectories: [STORE] }), false],
	[excludes("HOME/.claude-memory/ccg:*"), false],
	[excludes("docker *"), true],
	[{ sandbox: [] }, false],
	[{ sandbox: { enabled: true, filesystem: 5, excludedCommands: "x" }, permissions: [] }, true],
])("%j closes the store: %s", (settings, isClosed, local) => {
	const top = scratch("closed");
	const [home, folder] = [join(top, "home"), join(top, "project")];
	const write = (path: string, value: object = {}) => {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, JSON.stringify(value).replaceAll("HOME/.", `${home}/.`).replaceAll(`$${home}`, "$HOME"));
	};
	write(join(home, ".claude", "settings.json"), settings);
	write(join(folder, ".claude", "settings.local.json"), local);
	const store = join(home, ".claude-memory");
	const isClosedIn = (at: string) => isStoreClosed(store, `${store}/ccg`, at, { HOME: home });
	expect(isClosedIn(folder)).toBe(isClosed);
	// who started in the home folder may write there
	expect(isClosedIn(home)).toBe(isClosed && JSON.stringify(settings).includes("deny"));
});

test.each([
	["/home/x/.claude-memory", "~/.claude-memory"],
	["/data/ccg", "/data/ccg"],
])("the advice names %s as it is written into settings", (store, named) => {
	const filesystem = { allowWrite: [named], denyWrite: [`${named}/app`, `${named}/ccg`] };
	expect(sandboxAdvice(store, { HOME: "/home/x" }).fix).toContain(JSON.stringify(filesystem));
});
