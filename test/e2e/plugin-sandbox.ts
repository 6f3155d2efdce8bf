/**
 * The plugin as a user gets it: a marketplace in a git repository that stands for the one on GitHub, Claude Code's own commands, and an npm
 * that brings what the lockfile names without a network.
 */
import { chmodSync, cpSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makePlugin } from "../../scripts/make-plugin.ts";
import { commitPlugin } from "../../scripts/release.ts";
import { printedBy } from "../kit/process.ts";
import { REPO } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";
import { put } from "../security/kit.ts";
import { type ClaudeSandbox, claudePath, claudeSandbox } from "./claude-sandbox.ts";

export const PLUGIN = "ccg@context-guard";

export type PluginSandbox = ReturnType<typeof pluginSandbox>;

/** Programs that Claude Code, git and hooks need, and neither npm nor Bun. */
const PROGRAMS = ["git", "sh", "bash", "cat", "ls", "env", "uname", "tail", "ps", "sleep", "mkdir", "rm"];

/** `npm`: whether it works, fails (what makes it work is `online()`), or is not there. A machine without Bun in each case. */
export function pluginSandbox(npm: "works" | "fails" | "none" = "works") {
	const tools = scratch("tools");
	const offline = join(tools, "offline");
	if (npm === "fails") writeFileSync(offline, "");
	if (npm !== "none") program(join(tools, "npm"), NPM);
	else
		for (const name of PROGRAMS)
			symlinkSync(printedBy(["/bin/sh", "-c", `command -v ${name}`]).trim(), join(tools, name));
	const PATH = npm !== "none" ? `${tools}:${dirname(claudePath())}:/usr/bin:/bin` : tools;
	const made = claudeSandbox([], { install: null, env: { PATH } });
	const market = join(scratch("market"), "ccg.git");
	printedBy(["git", "init", "-q", "--bare", market], { env: made.env });
	Object.assign(process.env, AUTHOR);
	writeFileSync(
		join(made.home, ".gitconfig"),
		`[url "${market}"]\n\tinsteadOf = https://github.com/owner/ccg.git\n\tinsteadOf = git@github.com:owner/ccg.git\n`,
	);
	const data = join(made.home, ".claude", "plugins", "data", "ccg-context-guard");
	return Object.assign(made, {
		/** Where the plugin keeps its data. */
		data,
		/** A clone in which the plugin was built. Its folder is a marketplace. */
		clone(version: string): string {
			const clone = scratch("clone");
			cpSync(join(REPO, ".claude-plugin"), join(clone, ".claude-plugin"), { recursive: true });
			makePlugin(join(clone, "plugins", "ccg"), version);
			return clone;
		},
		/** `claude plugin …`; gives what it prints. */
		plugin: (...words: string[]): string =>
			printedBy([claudePath(), "plugin", ...words], { cwd: made.project, env: made.env }),
		online: (): void => rmSync(offline),
		/** Puts the plugin under a version onto the branch `plugin` of `owner/ccg`. */
		publish: (version: string): void => commitPlugin(market, version),
		/** The folder that the stable launcher leads to. */
		linked: (): string => readlinkSync(join(data, "app", "current")),
	});
}

const AUTHOR = { GIT_AUTHOR_NAME: "t", GIT_AUTHOR_EMAIL: "t@t", GIT_COMMITTER_NAME: "t", GIT_COMMITTER_EMAIL: "t@t" };

/** As `npm ci` does it: each package of the lockfile that fits this machine, here the one of the checkout. */
const NPM = `#!/bin/sh
[ -f package-lock.json ] && [ ! -e "\${0%/*}/offline" ] || exit 1
for bun in '${REPO}'/node_modules/@oven/bun-*/bin/bun; do
	package=\${bun%/bin/bun}
	mkdir -p "node_modules/@oven/\${package##*/}/bin"
	: >node_modules/.package-lock.json
	ln -f "$bun" "node_modules/@oven/\${package##*/}/bin/bun" || cp "$bun" "node_modules/@oven/\${package##*/}/bin/bun"
done
`;

export function program(path: string, text: string): void {
	put(path, text);
	chmodSync(path, 0o755);
}

export const settingsOf = (made: ClaudeSandbox) =>
	JSON.parse(readFileSync(join(made.home, ".claude", "settings.json"), "utf8"));

/** A copy of the queue plugin: the client writes files of its own into a folder that is given by `--plugin-dir`. */
export function queuePlugin(): string {
	const folder = join(scratch("plugin"), "queue-plugin");
	cpSync(join(REPO, "queue-plugin"), folder, { recursive: true });
	return folder;
}
