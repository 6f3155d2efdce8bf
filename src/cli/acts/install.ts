import { programsOnPath } from "../../files/on-path.ts";
import { skipsUnknownEvents, unknownEvents } from "../../install/catalog.ts";
import { claudeOf, type FoundClaude, isTooOld, lackOf } from "../../install/claude-version.ts";
import { hookSwitches } from "../../install/hook-switches.ts";
import { type McpPlan, planMcp } from "../../install/mcp-plan.ts";
import { currentCopy } from "../../install/own-copy.ts";
import {
	backupOf,
	type InstallPlan,
	type InstallRequest,
	planInstall,
	requestedCatalog,
	toldIn,
} from "../../install/plan.ts";
import { findEntries } from "../../install/settings-text.ts";
import { shellWord } from "../../install/shell-word.ts";
import type { SkillsPlan } from "../../install/skills-plan.ts";
import { isVersion } from "../../install/version-text.ts";
import { keepShortLauncher, shortLauncher } from "../../store/app-folder.ts";
import { type Ask, type AskText, askOnTerminal, askTextOnTerminal } from "../support/ask-on-terminal.ts";
import { type CopyPlan, copySummary, planCopy, removeUnusedCopies, speedUp } from "../support/copy-change.ts";
import type { Io } from "../support/io.ts";
import { changeMcp } from "../support/mcp-change.ts";
import { lastingPath, ownName } from "../support/own-name.ts";
import { say } from "../support/say.ts";
import { type ChangeOptions, requestOf, showAndApply, tellFailure } from "../support/settings-change.ts";
import { changeSkills, skillsPlan, skillsSummary } from "../support/skills-change.ts";

export interface InstallOptions extends ChangeOptions {
	claudeVersion?: string;
}

export async function install(
	options: InstallOptions,
	asked: Io,
	ask?: Ask,
	askText: AskText = askTextOnTerminal,
): Promise<void> {
	const copy = planCopy(asked, options) ?? undefined;
	// messages name what will be there tomorrow
	const io = copy && ownName(asked) !== "ccg" ? { ...asked, launcher: shortLauncher(copy.root) } : asked;
	const request = { ...requestOf(asked, options), ...(copy && { launcher: copy.launcher }) };
	let plan: InstallPlan | undefined;
	try {
		refuseOtherScope(options);
		const { claudeVersion } = options;
		const found = claudeVersion ? { version: claudeVersion, path: "as given" } : await claudeOf(request);
		if (found) refuseTooOld(found);
		request.claude = found?.version ?? null;
		plan = await planInstall(request);
		if (!found && plan.changed && isAsked(options, io)) {
			request.claude = await askVersion(askText);
			plan = await planInstall(request);
		}
		const { recallRule } = requestedCatalog(request);
		if (plan.changed && !options.allowRecall && !plan.before?.includes(recallRule)) {
			if (!isAsked(options, io)) plan.notes.push(OFFERED);
			else if (await (ask ?? askOnTerminal)(OFFER)) {
				options.allowRecall = request.allowRecall = true;
				plan = await planInstall(request);
			}
		}
		const mcp = options.mcp ? await planMcp("install", request) : undefined;
		const skills = options.skills ? skillsPlan("install", request, copy?.from.root) : undefined;
		if (!plan.changed && !mcp?.changed && !skills?.changed && !copy?.changed) {
			if (copy?.before) await speedUp(copy.before, copy.app, io);
			if (!options.dryRun) keepShortLauncher(toldIn(request), request.launcher);
			io.out(`Already up to date: ${[plan, mcp, skills].flatMap((one) => (one ? [one.path] : [])).join(", ")}`);
			for (const note of [...plan.notes, ...skillsNotes(skills, request)]) say(note, io);
			return;
		}
		if (options.scope === "local" && plan.before === null)
			plan.notes.push(`${plan.path} is this machine's own: keep it out of git, if it is not ignored already`);
		plan.notes.unshift(...claudeNotes(request.claude, found, isAsked(options, io)));
		const { hooks } = requestedCatalog(request);
		const events = [...new Set(hooks.map(({ event }) => event))].join(", ");
		const permission = [
			...(options.allowMemory ? ["memory permission"] : []),
			...(options.allowRecall ? ["recall permission"] : []),
		];
		const summary = [
			...(plan.changed ? summaryOf(plan, events, options) : []),
			...mcpSummary(mcp, options),
			...skillsNotes(skills, request),
			...(copy?.changed ? copySummary(copy) : []),
		];
		if (!(await showAndApply(plan, request, { io, options, ask, summary, mcp, skills, copy }))) return;
		if (plan.changed) tellRegistered(plan, request, { io, options, what: [events, "status line", ...permission] });
		if (mcp?.changed) await changeMcp(mcp, request, io);
		if (skills?.changed) await changeSkills(skills, request, io);
		keepShortLauncher(toldIn(request), request.launcher);
		if (options.inPlace) removeUnusedCopies(io, { inPlace: true });
		if (copy) await finishCopy(copy, io);
	} catch (error) {
		tellFailure(error, io, request, plan);
	}
}

/** The session is protected by now; what makes it faster comes last. */
async function finishCopy({ app, changed, from, root }: CopyPlan, io: Io): Promise<void> {
	const copy = currentCopy(app);
	if (copy) await speedUp(copy, app, io);
	if (changed) say(`ccg ${from.version} runs from ${app}. ${onPath(shortLauncher(root), io)}`, io);
}

/** The shell of a person finds `ccg` where npm has put it, and else by its path. */
function onPath(launcher: string, { env }: Io): string {
	if (!programsOnPath("ccg", lastingPath(env)).next().done) return "`ccg` is on your PATH.";
	return `To type \`ccg\`, put it on your PATH: mkdir -p ~/.local/bin && ln -s ${shellWord(launcher)} ~/.local/bin/ccg`;
}

const skillsNotes = (skills: SkillsPlan | undefined, request: InstallRequest): string[] =>
	skills ? skillsSummary(skills, request) : [];

function tellRegistered(
	plan: InstallPlan,
	request: InstallRequest,
	{ io, options, what }: { io: Io; options: InstallOptions; what: string[] },
): void {
	io.out(`Registered in ${plan.path}: ${what.join(", ")}.`);
	const backup = backupOf(plan);
	say(
		backup
			? `The file as it was before: ${backup}`
			: `There was no such file before; \`${uninstalling(options)}\` deletes it.`,
		io,
	);
	say(
		hookSwitches(request).length > 0
			? "No session runs it as long as hooks are switched off (see the warning above). `ccg doctor` tells how it stands."
			: "Running sessions pick it up at once. `ccg doctor` checks that it works.",
		io,
	);
}

/** What registering the MCP server does. */
function mcpSummary(mcp: McpPlan | undefined, options: InstallOptions): string[] {
	if (!mcp?.changed) return [];
	return [
		`In ${mcp.path}, Claude Code's own file, this ${mcp.before === null ? "registers" : "renews"} an MCP server:`,
		"  ccg: recall, read_passage, save_memory and list_memories as tools, notes and checkpoints as resources",
		`Nothing else in that file changes; \`${uninstalling(options)}\` takes it out again.`,
	];
}

/** Both are the user's, in all projects. */
function refuseOtherScope({ mcp, skills, scope }: InstallOptions): void {
	if (skills && scope !== "user")
		throw new Error(
			`--skills writes slash commands for all your projects; leave --scope ${scope} out. Nothing was changed.`,
		);
	if (mcp && scope !== "user")
		throw new Error(
			`--mcp registers the server for all your projects; leave --scope ${scope} out. Nothing was changed.`,
		);
}

const uninstalling = ({ scope }: InstallOptions): string =>
	`ccg uninstall${scope === "user" ? "" : ` --scope ${scope}`}`;

/** What will be done, for those who do not read diffs. */
function summaryOf({ path, before }: InstallPlan, events: string, options: InstallOptions): string[] {
	return [
		`In ${path} this ${before && findEntries(before).length > 0 ? "renews" : "registers"} ccg:`,
		`  hooks (${events}): they save the session's state before a compaction and inject what the summary left out`,
		"  a status line: how far it is to the next compaction",
		...(options.allowMemory ? ["  a permission: the agent may run `ccg memory save` without asking"] : []),
		...(options.allowRecall ? ["  a permission: the agent may run `ccg recall` without asking"] : []),
		`Everything else in the file stays as it is. It can be undone: \`${uninstalling(options)}\` takes it out again.`,
	];
}

const isAsked = ({ yes, dryRun }: InstallOptions, { interactive }: Io): boolean => interactive && !yes && !dryRun;

/** `null` for one that knows every event. */
async function askVersion(askText: AskText): Promise<string | null> {
	const answer = (await askText(QUESTION)).trim();
	if (answer === "") return null;
	if (isVersion(answer)) {
		refuseTooOld({ version: answer, path: "as given" });
		return answer;
	}
	throw new Error(
		`"${answer}" is no version. Nothing was changed; it is three numbers, as \`claude --version\` prints them.`,
	);
}

function refuseTooOld({ version, path }: FoundClaude): void {
	if (!isTooOld(version)) return;
	throw new Error(
		`Claude Code ${version} (${path}) is older than 2.0.30, the first that ccg was tried with: it does not know every event and would skip the whole settings file. Nothing was changed; update Claude Code, or name another one with --claude-version.`,
	);
}

const OFFER =
	"May Claude look things up with `ccg recall` without asking? It reads only, and only the project at hand. [y/N] ";
const OFFERED =
	"Claude asks before it looks something up with `ccg recall`; `ccg install --allow-recall` lets it read without.";

const QUESTION =
	"Claude Code was not found on PATH. Which version is it, as `claude --version` prints it? [the newest] ";

/** What of ccg this version has to do without, or that nobody knows the version. */
function claudeNotes(version: string | null, found: FoundClaude | null, asked: boolean): string[] {
	if (version === null) return asked ? [] : [UNKNOWN];
	const events = unknownEvents(version);
	if (events.length === 0) return [];
	const effect = skipsUnknownEvents(version) ? ", and would skip the whole settings file" : "";
	return [
		`Claude Code ${version} (${found?.path ?? "as given"}) does not know ${events.join(", ")}${effect}: left out.`,
		...lackOf(version),
		"After an update of Claude Code run `ccg install` again.",
	];
}

const UNKNOWN =
	"Warning: Claude Code was not found on PATH, so its version is not known and every event is registered. Versions up to " +
	"2.1.100 skip a settings file that holds an event they do not know; for those: `ccg install --claude-version VERSION`.";
