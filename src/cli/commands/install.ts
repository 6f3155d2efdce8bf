import { shellWord } from "../../core/text/shell-word.ts";
import { programsOnPath } from "../../files/on-path.ts";
import { GRANTS, grantRule, skipsUnknownEvents, unknownEvents } from "../../install/catalog.ts";
import { type FoundClaude, findClaude, isTooOld, isVersion, oldestOf } from "../../install/claude-version.ts";
import { type CopyPlan, planCopy, removeUnusedCopies } from "../../install/copy-plan.ts";
import { planMcp } from "../../install/mcp-plan.ts";
import { type InstallPlan, isChange, launcherToTell } from "../../install/plan.ts";
import { planSettings, type SettingsPlan } from "../../install/settings-plan.ts";
import { planSkills } from "../../install/skills-plan.ts";
import { keepShortLauncher, shortLauncher } from "../../store/app-folder.ts";
import { type Change, type ChangeOptions, planChange, SCOPE, STATUS_LINE, showAndApply } from "../support/change.ts";
import { badValue, DRY_RUN, option, type Spec, YES } from "../support/command.ts";
import { objectionsTo } from "../support/install-words.ts";
import type { Io } from "../support/io.ts";
import { lastingPath, ownName } from "../support/own-name.ts";
import { changePluginLine } from "../support/plugin-line.ts";
import { say } from "../support/text.ts";

/** `ccg install`: registers hooks and status line in a settings file. */
export const install: Spec = {
	about: "register ccg's hooks and status line in Claude Code's settings",
	options: [
		SCOPE,
		YES,
		DRY_RUN,
		option("--claude-version <version>", "register for this version of Claude Code instead of the one found", {
			parse(text) {
				if (isVersion(text)) return text;
				throw badValue("it must be three numbers, as `claude --version` prints them");
			},
		}),
		option("--allow-memory", "also let the agent run `ccg memory save` without asking"),
		option("--allow-recall", "also let the agent run `ccg recall` without asking: it reads, and only this project"),
		option("--mcp", "also register the MCP server: recall and notes as tools of the model"),
		option("--skills", "also slash commands (/ccg:checkpoint, /ccg:restore, ...) and the agent context-guardian"),
		STATUS_LINE,
		option("--in-place", "register this folder itself instead of a copy in the store: for work on ccg"),
	],
	help: `
Examples:
  ccg install --dry-run  # shows what would change
  ccg install  # shows it, asks, does it
  ccg install --skills --mcp  # all there is
  ccg install --scope local  # for this repository only
  ccg install --claude-version 2.1.100

Claude Code up to 2.1.100 skips a settings file whole when it holds an event it does not know. So the version is asked for \
with \`claude --version\`, and only events it knows are registered; after an update run \`ccg install\` again.`,
	async act(io, options: ChangeOptions) {
		if (options.statusLine) await changePluginLine("install", planChange(options, io));
		else await register(options, io);
		return undefined;
	},
};

async function register(options: ChangeOptions, asked: Io): Promise<void> {
	const copy = planCopy(asked, options);
	// messages name what will be there tomorrow
	const io = copy && ownName(asked) !== "ccg" ? { ...asked, launcher: shortLauncher(copy.root) } : asked;
	const change = planChange(options, io);
	const { request } = change;
	const { allowMemory, allowRecall } = options;
	const launcher = copy?.launcher ?? asked.launcher;
	Object.assign(request, { launcher, from: copy?.from.root, allowMemory, allowRecall });
	refuseOtherScope(options);
	const plans: InstallPlan[] = [await settingsPlan(change)];
	if (options.mcp) plans.push(planMcp("install", request));
	if (options.skills) plans.push(planSkills("install", request));
	if (!plans.some(isChange) && !copy?.changed) {
		if (!options.dryRun) keepShortLauncher(launcherToTell(request), request.launcher);
		io.out(`Already up to date: ${plans.map(({ path }) => path).join(", ")}`);
		for (const note of [...plans.flatMap(({ notes }) => notes), ...(await objectionsTo(request))]) say(note, io);
		return;
	}
	if (!(await showAndApply(plans, change, copy))) return;
	keepShortLauncher(launcherToTell(request), request.launcher);
	if (options.inPlace) removeUnusedCopies(io, { inPlace: true });
	if (copy?.changed) sayWhereItRuns(copy, io);
}

/** MCP server and slash commands are the user's, in all projects. */
function refuseOtherScope({ mcp, skills, scope }: ChangeOptions): void {
	if (scope === "user" || (!mcp && !skills)) return;
	const [option, does] = skills ? ["--skills", "writes slash commands"] : ["--mcp", "registers the server"];
	throw new Error(`${option} ${does} for all your projects; leave --scope ${scope} out. Nothing was changed.`);
}

/** What is registered, for the Claude Code that is found, or named; what may be allowed is offered. */
async function settingsPlan({ request, options, io }: Change): Promise<SettingsPlan> {
	const { claudeVersion, scope } = options;
	const isAsked = io.interactive && !options.yes && !options.dryRun;
	request.found = claudeVersion ? [] : await findClaude(io.env, io.cwd);
	const found = claudeVersion ? { version: claudeVersion, path: "as given" } : oldestOf(request.found);
	const notes = claudeNotes(found);
	request.claude = found?.version ?? null;
	let settings = await planSettings("install", request);
	if (!isChange(settings)) return settings;
	const isAllowed = (what: "allowRecall" | "allowMemory"): boolean =>
		options[what] || settings.before?.includes(grantRule(launcherToTell(request), GRANTS[what])) || false;
	const isOffered = !isAllowed("allowRecall") || !isAllowed("allowMemory");
	if (isOffered && isAsked && (await io.ask(OFFER))) {
		request.allowRecall = request.allowMemory = true;
		settings = await planSettings("install", request);
	}
	settings.notes.unshift(...notes);
	if (isOffered && !isAsked) settings.notes.push(OFFERED);
	if (scope === "local" && settings.before === null)
		settings.notes.push(`${settings.path} is this machine's own: keep it out of git, if it is not ignored already`);
	return settings;
}

/** What of ccg this version has to do without, or that nobody knows the version. Throws where it is too old. */
function claudeNotes(found: FoundClaude | null): string[] {
	if (!found) return [UNKNOWN];
	const { version, path } = found;
	if (isTooOld(version))
		throw new Error(
			`Claude Code ${version} (${path}) is older than 2.0.30, the first that ccg was tried with: it does not know every event and would skip the whole settings file. Nothing was changed; update Claude Code, or name another one with --claude-version.`,
		);
	const events = unknownEvents(version);
	if (events.length === 0) return [];
	const effect = skipsUnknownEvents(version) ? ", and would skip the whole settings file" : "";
	return [
		`Claude Code ${version} (${path}) does not know ${events.join(", ")}${effect}: left out.`,
		"After an update of Claude Code run `ccg install` again.",
	];
}

const OFFER =
	"May Claude look things up with `ccg recall` and save notes with `ccg memory save` without asking? Both keep to the project at hand. [y/N] ";
const OFFERED =
	"Claude asks before it runs `ccg recall` or `ccg memory save`; `ccg install --allow-recall --allow-memory` lets it run them without.";
const UNKNOWN =
	"Warning: no Claude Code on PATH tells its version, so only events that every version knows are registered. Name it with " +
	"`ccg install --claude-version VERSION`, or run `ccg install` again where it is found.";

function sayWhereItRuns({ app, from, root }: CopyPlan, io: Io): void {
	const isOnPath = !programsOnPath("ccg", lastingPath(io.env)).next().done;
	const link = `mkdir -p ~/.local/bin && ln -s ${shellWord(shortLauncher(root))} ~/.local/bin/ccg`;
	const onPath = isOnPath ? "`ccg` is on your PATH." : `To type \`ccg\`, put it on your PATH: ${link}`;
	say(`ccg ${from.version} runs from ${app}. ${onPath}`, io);
}
