import { shellWord } from "../../core/text/quoted.ts";
import { findObstacles } from "../../doctor/doctor.ts";
import { programsOnPath } from "../../files/on-path.ts";
import { grantRules } from "../../install/catalog.ts";
import { type CopyPlan, planCopy, removeUnusedCopies } from "../../install/copy-plan.ts";
import { planMcp } from "../../install/mcp-plan.ts";
import { type InstallPlan, isChange, launcherToTell } from "../../install/plan.ts";
import { planSettings } from "../../install/settings-plan.ts";
import { planSkills } from "../../install/skills-plan.ts";
import { keepShortLauncher, shortLauncher } from "../../store/app-folder.ts";
import { type Change, type ChangeOptions, planChange, SCOPE, STATUS_LINE, showAndApply } from "../support/change.ts";
import { DRY_RUN, option, type Spec, YES } from "../support/command.ts";
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
		option(
			"--allow",
			"also let the agent run `ccg recall` and `ccg memory save` without asking, for the project at hand",
		),
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
  ccg install --scope local  # for this repository only`,
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
	const launcher = copy?.launcher ?? asked.launcher;
	Object.assign(request, { launcher, from: copy?.from.root, allow: options.allow });
	refuseOtherScope(options);
	const plans: InstallPlan[] = [await settingsPlan(change)];
	if (options.mcp) plans.push(planMcp("install", request));
	if (options.skills) plans.push(planSkills("install", request));
	if (!plans.some(isChange) && !copy?.changed) {
		if (!options.dryRun) keepShortLauncher(launcherToTell(request), request.launcher);
		io.out(`Already up to date: ${plans.map(({ path }) => path).join(", ")}`);
		for (const note of plans.flatMap(({ notes }) => notes)) say(note, io);
		sayObstacles(change);
		return;
	}
	if (!(await showAndApply(plans, change, copy))) return;
	keepShortLauncher(launcherToTell(request), request.launcher);
	if (options.inPlace) removeUnusedCopies(io, { inPlace: true });
	sayObstacles(change);
	if (copy?.changed) sayWhereItRuns(copy, io);
}

/** What keeps Claude Code from running what is registered, as `ccg doctor` finds it. */
function sayObstacles({ request, io }: Change): void {
	for (const { title, detail, fix } of findObstacles({ ...request, tell: io.tell }))
		say(`Warning: ${title}: ${detail}.${fix ? ` To mend it: ${fix}.` : ""}`, io);
}

/** MCP server and slash commands are the user's, in all projects. */
function refuseOtherScope({ mcp, skills, scope }: ChangeOptions): void {
	if (scope === "user" || (!mcp && !skills)) return;
	const [option, does] = skills ? ["--skills", "writes slash commands"] : ["--mcp", "registers the server"];
	throw new Error(`${option} ${does} for all your projects; leave --scope ${scope} out. Nothing was changed.`);
}

/** What is registered; what may be allowed is offered. */
async function settingsPlan({ request, options, io }: Change): Promise<InstallPlan> {
	const { scope } = options;
	const isAsked = io.interactive && !options.yes && !options.dryRun;
	let settings = await planSettings("install", request);
	const [change] = settings.changes;
	if (!change) return settings;
	const isGranted = grantRules(launcherToTell(request)).every((rule) => change.before?.includes(rule));
	const isOffered = !options.allow && !isGranted;
	if (isOffered && isAsked && (await io.ask(OFFER))) {
		request.allow = true;
		settings = await planSettings("install", request);
	}
	if (isOffered && !isAsked) settings.notes.push(OFFERED);
	if (scope === "local" && change.before === null)
		settings.notes.push(`${settings.path} is this machine's own: keep it out of git, if it is not ignored already`);
	return settings;
}

const OFFER =
	"May Claude look things up with `ccg recall` and save notes with `ccg memory save` without asking? Both keep to the project at hand. [y/N] ";
const OFFERED =
	"Claude asks before it runs `ccg recall` or `ccg memory save`; `ccg install --allow` lets it run them without.";

/** Says where the copied ccg runs from, and how to type `ccg` where no program of that name is on PATH. */
function sayWhereItRuns({ app, from, root }: CopyPlan, io: Io): void {
	const hasProgram = !programsOnPath("ccg", lastingPath(io.env)).next().done;
	const link = `mkdir -p ~/.local/bin && ln -s ${shellWord(shortLauncher(root))} ~/.local/bin/ccg`;
	const onPath = hasProgram ? "`ccg` is on your PATH." : `To type \`ccg\`, put it on your PATH: ${link}`;
	say(`ccg ${from.version} runs from ${app}. ${onPath}`, io);
}
