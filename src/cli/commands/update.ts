import { existsSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { shellWord } from "../../core/text/shell-word.ts";
import { whyOf } from "../../files/system-failure.ts";
import { applyCopy } from "../../install/copy-plan.ts";
import { findEntries } from "../../install/entries.ts";
import { fetchPackage, newestVersion, PACKAGE } from "../../install/npm-package.ts";
import { currentCopy, packageIn } from "../../install/own-copy.ts";
import { runProcess } from "../../install/run-process.ts";
import { settingsPath } from "../../install/settings-sources.ts";
import { appFolder } from "../../store/app-folder.ts";
import { readText } from "../../store/json-file.ts";
import { claudeRoot, storeRoot } from "../../store/paths.ts";
import { isConfirmed } from "../support/answer.ts";
import { EXIT_CODES, withYes } from "../support/change.ts";
import { type Given, option, type Spec, YES } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { say } from "../support/text.ts";

interface Options extends Given {
	check?: boolean;
	from?: string;
}

/** `ccg update`: the newest version in place of the installed one. */
export const update: Spec = {
	about: "bring the newest version with npm and put it to work; running sessions go on",
	options: [
		option("--check", "only say whether there is a newer one"),
		option("--from <package>", "take this instead: a version as 0.3.0, or a tarball"),
		YES,
	],
	help: `
Examples:
  ccg update --check            is there a newer version?
  ccg update                    bring it, after a question
  ccg update --from 0.2.0       go to this version, also back to an older one
  ccg update --from ./claude-context-guard-0.3.0.tgz

This asks the npm registry, with your npm, and not from within a session of Claude Code. A clone is updated with git; a plugin by Claude Code. The version before stays on
the disk for a week, for sessions that use it.
${EXIT_CODES}`,
	async act(io, options: Options) {
		try {
			// a repository's settings can say where npm fetches from, in all that Claude Code starts
			if (io.env.CLAUDECODE !== undefined || io.env.CLAUDE_CODE_SESSION_ID !== undefined)
				throw new Error("an update is for a terminal of your own, not for a session of Claude Code");
			const now = installed(io);
			say((options.from ? null : elsewhereText(now)) ?? (await fetched(now, options, io)), io);
			return undefined;
		} catch (error) {
			io.err(`ccg: ${whyOf(error)}. Nothing was changed.`);
			return io.exit(1) as undefined;
		}
	},
};

/** What is installed. */
type Installed = ReturnType<typeof installed>;

function installed(io: Io) {
	const store = storeRoot(io.env);
	if (!store) throw new Error("there is no folder to keep ccg in; set HOME or CCG_HOME");
	const root = resolve(io.cwd, store);
	const app = appFolder(root);
	const copy = currentCopy(app);
	if (!copy) throw new Error("nothing is installed that could be updated; `ccg install` does");
	const { from, ccg: version } = copy.facts;
	return { from, version, root, app };
}

/** Gives what was done. */
async function fetched(now: Installed, { from, check, yes }: Options, io: Io): Promise<string> {
	const { version, app } = now;
	const folder = join(app, `.new-${process.pid}-npm`);
	const { CCG_KEPT_NODE_EXTRA_CA_CERTS: certificates } = io.env;
	const env = certificates ? { ...io.env, NODE_EXTRA_CA_CERTS: certificates } : io.env;
	const npm = { env, cwd: io.cwd, folder };
	try {
		io.err("Asking npm …");
		const wanted = from ?? (await newestVersion(npm));
		if (!from && Bun.semver.order(wanted, version) <= 0) return `ccg ${version} is the newest version.`;
		if (check) return `ccg ${wanted} can be had; ${version} is at work. \`ccg update\` brings it.`;
		const how = `To bring ccg ${wanted}: ${withYes(io)}`;
		const question = `Bring ccg ${wanted} in place of ${version}?`;
		if (!(await isConfirmed(question, yes, io, { done: "changed", how }))) return "";
		const brought = await bring(specOf(wanted, io.cwd), now, npm);
		return `ccg ${brought} is at work, in place of ${version}. ${await renew(now, io)}`;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** How a clone is updated; `null` for what npm can bring. */
function elsewhereText({ from, version }: Installed): string | null {
	if (!existsSync(join(from, ".git"))) return null;
	const at = shellWord(from);
	return `ccg ${version} came from ${from}: git -C ${at} pull && npm --prefix ${at} install && ${at}/bin/ccg install`;
}

/** A version is one of ours; a path is meant from where the command was typed. */
const specOf = (wanted: string, cwd: string): string =>
	/^\d{1,6}\.\d{1,6}\.\d{1,6}(?:[-+][\w.+-]{1,60})?$/.test(wanted) ? `${PACKAGE}@${wanted}` : resolve(cwd, wanted);

/** Fetches it beside the copies and puts a copy to work; gives its version. */
async function bring(spec: string, { root, app }: Installed, npm: Parameters<typeof fetchPackage>[1]): Promise<string> {
	const { root: folder, bun } = await fetchPackage(spec, npm);
	const from = packageIn(folder);
	if (!from) throw new Error(`${spec} holds no ccg that runs`);
	await applyCopy({ from, root, app, source: spec }, bun ?? process.execPath);
	return from.version;
}

/** What the new version registers and brings may be more: it says so itself, and compiles itself. */
async function renew({ app }: Installed, io: Io): Promise<string> {
	const settings = readText(settingsPath("user", io.env, io.cwd));
	if (!settings || findEntries(settings).length === 0) return "Run `ccg install` again where it is registered.";
	const claude = claudeRoot(io.env);
	const skills = claude && existsSync(join(resolve(io.cwd, claude), "commands", "ccg")) ? ["--skills"] : [];
	const command = [currentCopy(app)!.launcher, "install", "--yes", ...skills];
	const { code, out, err } = await runProcess(command, { cwd: dirname(app), env: io.env });
	if (code !== 0) return `\`ccg install\` has to be run again: ${err.trim().split("\n").at(-1)}`;
	if (!out.startsWith("Already up to date")) io.out(out.trimEnd());
	return "Running sessions use it from their next hook on.";
}
