import { existsSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { whyOf } from "../../files/system-failure.ts";
import { fetchPackage, newestVersion, PACKAGE } from "../../install/npm-package.ts";
import { type Way, wayOf } from "../../install/origin.ts";
import { currentCopy, packageIn } from "../../install/own-copy.ts";
import { runProcess } from "../../install/run-process.ts";
import { settingsPath } from "../../install/settings-path.ts";
import { findEntries } from "../../install/settings-text.ts";
import { shellWord } from "../../install/shell-word.ts";
import { appFolder } from "../../store/app-folder.ts";
import { readText } from "../../store/json-file.ts";
import { claudeRoot, storeRoot } from "../../store/paths.ts";
import { answerJson } from "../support/answer-json.ts";
import { type Ask, askOnTerminal } from "../support/ask-on-terminal.ts";
import { applyCopy, speedUp } from "../support/copy-change.ts";
import type { Io } from "../support/io.ts";
import { say } from "../support/say.ts";

export interface UpdateOptions {
	/** Only make the bytecode of the copy at work, with this Bun. */
	bytecode?: boolean;
	check?: boolean;
	from?: string;
	yes?: boolean;
	json?: boolean;
}

interface Installed {
	way: Way;
	/** The folder it came from. */
	from: string;
	version: string;
	root: string;
	app: string;
}

export async function update(options: UpdateOptions, io: Io, ask: Ask = askOnTerminal): Promise<void> {
	try {
		if (options.bytecode) return await compileCurrent(io);
		refuseInSession(io);
		const now = installed(io);
		const elsewhere = options.from ? null : elsewhereText(now);
		if (elsewhere) return tell({ now, text: elsewhere }, options, io);
		const temp = join(now.app, `.new-${process.pid}-npm`);
		const { CCG_KEPT_NODE_EXTRA_CA_CERTS: certificates } = io.env;
		const env = certificates ? { ...io.env, NODE_EXTRA_CA_CERTS: certificates } : io.env;
		const npm = { env, cwd: io.cwd, folder: temp };
		try {
			if (!options.json) io.err("Asking npm …");
			const wanted = options.from ?? (await newestVersion(npm));
			if (!options.from && Bun.semver.order(wanted, now.version) <= 0)
				return tell({ now, newest: wanted, text: `ccg ${now.version} is the newest version.` }, options, io);
			if (options.check)
				return tell(
					{
						now,
						newest: wanted,
						text: `ccg ${wanted} can be had; ${now.version} is at work. \`ccg update\` brings it.`,
					},
					options,
					io,
				);
			if (!options.yes && !io.interactive) {
				io.err(`Nothing was changed: there is no terminal to ask on. To bring ccg ${wanted}: ccg update --yes`);
				return io.exit(2);
			}
			if (!options.yes && !(await ask(`Bring ccg ${wanted} in place of ${now.version}? [y/N] `)))
				return io.err("Nothing was changed.");
			const version = await bring(specOf(wanted, io.cwd), now, npm);
			const renewed = await renew(now, options, io);
			tell(
				{
					now,
					newest: version,
					updated: true,
					text: `ccg ${version} is at work, in place of ${now.version}. ${renewed}${globalNote(now)}`.trim(),
				},
				options,
				io,
			);
		} finally {
			rmSync(temp, { recursive: true, force: true });
		}
	} catch (error) {
		io.err(`ccg: ${whyOf(error)}. Nothing was changed.`);
		io.exit(1);
	}
}

/** A repository's settings can say where npm fetches from, in all that Claude Code starts. */
function refuseInSession({ env }: Io): void {
	if (env.CLAUDECODE !== undefined || env.CLAUDE_CODE_SESSION_ID !== undefined)
		throw new Error("an update is for a terminal of your own, not for a session of Claude Code");
}

async function compileCurrent(io: Io): Promise<void> {
	const { app } = installed(io);
	const copy = currentCopy(app);
	if (copy) await speedUp(copy, app, io);
}

function installed(io: Io): Installed {
	const store = storeRoot(io.env);
	if (!store) throw new Error("there is no folder to keep ccg in; set HOME or CCG_HOME");
	const root = resolve(io.cwd, store);
	const app = appFolder(root);
	const copy = currentCopy(app);
	if (!copy) throw new Error("nothing is installed that could be updated; `ccg install` does");
	const { way, from, ccg } = copy.facts;
	return { way, from, version: ccg, root, app };
}

/** How it is updated where npm is not the way. */
function elsewhereText({ way, from, version }: Installed): string | null {
	if (way === "plugin")
		return "ccg came as a plugin: `claude plugin marketplace update` and `claude plugin update ccg` bring the newest version.";
	if (way !== "clone" && way !== "folder") return null;
	const at = shellWord(from);
	const get = wayOf(from) === "clone" ? `git -C ${at} pull && npm --prefix ${at} install && ` : "";
	return `ccg ${version} came from ${from}: ${get}${at}/bin/ccg install`;
}

/** A version is one of ours; a path is meant from where the command was typed. */
const specOf = (wanted: string, cwd: string): string =>
	/^\d{1,6}\.\d{1,6}\.\d{1,6}(?:[-+][\w.+-]{1,60})?$/.test(wanted) ? `${PACKAGE}@${wanted}` : resolve(cwd, wanted);

/** Fetches it beside the copies and puts a copy to work; gives its version. */
async function bring(
	spec: string,
	{ way, root, app }: Installed,
	npm: Parameters<typeof fetchPackage>[1],
): Promise<string> {
	const { root: folder, bun } = await fetchPackage(spec, npm);
	const from = packageIn(folder);
	if (!from) throw new Error(`${spec} holds no ccg that runs`);
	// `--from` also takes the place of a clone
	const by = way === "clone" || way === "folder" ? "npx" : way;
	await applyCopy({ from, way: by, root, app, source: spec }, bun ?? process.execPath);
	return from.version;
}

/** What the new version registers and brings may be more: it says so itself, and makes its own bytecode. */
async function renew({ app }: Installed, options: UpdateOptions, io: Io): Promise<string> {
	const { launcher } = currentCopy(app)!;
	const run = (...args: string[]) => runProcess([launcher, ...args], { cwd: dirname(app), env: io.env });
	const settings = readText(settingsPath("user", io.env, io.cwd));
	if (!settings || findEntries(settings).length === 0) {
		await run("update", "--bytecode");
		return "`ccg doctor` says in a folder whether its settings are to be renewed.";
	}
	const claude = claudeRoot(io.env);
	const skills = claude && existsSync(join(resolve(io.cwd, claude), "commands", "ccg")) ? ["--skills"] : [];
	const { code, out, err } = await run("install", "--yes", ...skills);
	if (code !== 0) return `\`ccg install\` has to be run again: ${err.trim().split("\n").at(-1)}`;
	if (!options.json && !out.startsWith("Already up to date"))
		for (const line of out.trimEnd().split("\n")) io.out(line);
	return "Running sessions use it from their next hook on.";
}

const globalNote = ({ way }: Installed): string =>
	way === "npm global" ? ` The \`ccg\` you type is npm's: \`npm update --global ${PACKAGE}\` renews it.` : "";

function tell(
	{ now, newest, updated = false, text }: { now: Installed; newest?: string; updated?: boolean; text: string },
	{ json }: UpdateOptions,
	io: Io,
): void {
	if (!json) return say(text, io);
	const { version, way, from } = now;
	answerJson(io, { installed: version, way, from, newest: newest ?? null, updated, text });
}
