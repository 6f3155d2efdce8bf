import { shellWord } from "../../core/text/quoted.ts";
import { findObstacles } from "../../doctor/doctor.ts";
import { programsOnPath } from "../../files/on-path.ts";
import { tryOrUndefined } from "../../files/quietly.ts";
import { grantRules } from "../../install/catalog.ts";
import { type CopyPlan, planCopy, removeUnusedCopies } from "../../install/copy-plan.ts";
import { planMcp } from "../../install/mcp-plan.ts";
import { hasChanges, type InstallPlan, shortLauncherFor } from "../../install/plan.ts";
import { planSettings } from "../../install/settings-plan.ts";
import { planSkills } from "../../install/skills-plan.ts";
import { linkShortLauncher, shortLauncherPath } from "../../store/app-folder.ts";
import { type Change, type ChangeFlags, confirmAndApply, makeChange, SCOPE, STATUS_LINE } from "../support/change.ts";
import { DRY_RUN, option, type Spec, YES } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { ccgCommand, permanentPath } from "../support/own-name.ts";
import { changePluginLine } from "../support/plugin-line.ts";
import { printText } from "../support/text.ts";
import { makeSearchable } from "./index.ts";

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
	async run(io, options: ChangeFlags) {
		if (options.statusLine) await changePluginLine("install", makeChange(options, io));
		else await registerCcg(options, io);
		return undefined;
	},
};

/** Installs ccg: plans its copy and the changes of settings, shows them, asks, applies them, and warns of what keeps it from running. */
async function registerCcg(options: ChangeFlags, caller: Io): Promise<void> {
	const copy = planCopy(caller, options);
	// messages name the short command of the new copy, not the launcher that runs now
	const io = copy && ccgCommand(caller) !== "ccg" ? { ...caller, launcher: shortLauncherPath(copy.root) } : caller;
	const change = makeChange(options, io);
	const { request } = change;
	Object.assign(request, { launcher: copy?.launcher ?? caller.launcher, from: copy?.from.root, allow: options.allow });
	refuseOtherScope(options);
	const plans: InstallPlan[] = [await planSettingsWithOffer(change)];
	if (options.mcp) plans.push(planMcp("install", request));
	if (options.skills) plans.push(planSkills("install", request));
	if (!plans.some(hasChanges) && !copy?.changed) {
		if (!options.dryRun) linkShortLauncher(shortLauncherFor(request), request.launcher);
		io.out(`Already up to date: ${plans.map(({ path }) => path).join(", ")}`);
		for (const note of plans.flatMap(({ notes }) => notes)) printText(note, io);
		warnOfObstacles(change);
		return;
	}
	if (!(await confirmAndApply(plans, change, copy))) return;
	linkShortLauncher(shortLauncherFor(request), request.launcher);
	if (options.inPlace) removeUnusedCopies(io, { inPlace: true });
	warnOfObstacles(change);
	if (copy?.changed) printHowToRun(copy, io);
	const searchable = tryOrUndefined(() => makeSearchable(request.launcher, io));
	if (searchable) printText(searchable, io);
}

/** Warns of what keeps Claude Code from running the registered commands. */
function warnOfObstacles({ request, io }: Change): void {
	for (const { title, detail, fix } of findObstacles({ ...request, onProblem: io.onProblem }))
		printText(`Warning: ${title}: ${detail}.${fix ? ` To mend it: ${fix}.` : ""}`, io);
}

/** Throws where `--mcp` or `--skills` is combined with another scope than the user's: both count in all projects. */
function refuseOtherScope({ mcp, skills, scope }: ChangeFlags): void {
	if (scope === "user" || (!mcp && !skills)) return;
	const [option, effect] = skills ? ["--skills", "writes slash commands"] : ["--mcp", "registers the server"];
	throw new Error(`${option} ${effect} for all your projects; leave --scope ${scope} out. Nothing was changed.`);
}

/** Plans the change of the settings file; asks whether the agent may run `ccg recall` and `ccg memory save` without asking. */
async function planSettingsWithOffer({ request, options, io }: Change): Promise<InstallPlan> {
	const canAsk = io.interactive && !options.yes && !options.dryRun;
	let settings = await planSettings("install", request);
	const [change] = settings.changes;
	if (!change) return settings;
	const isAllowedAlready = grantRules(shortLauncherFor(request)).every((rule) => change.before?.includes(rule));
	const isOffered = !options.allow && !isAllowedAlready;
	if (isOffered && canAsk && (await io.ask(ALLOW_QUESTION))) {
		request.allow = true;
		settings = await planSettings("install", request);
	}
	if (isOffered && !canAsk) settings.notes.push(ALLOW_HINT);
	if (options.scope === "local" && change.before === null)
		settings.notes.push(`${settings.path} is this machine's own: keep it out of git, if it is not ignored already`);
	return settings;
}

const ALLOW_QUESTION =
	"May Claude look things up with `ccg recall` and save notes with `ccg memory save` without asking? Both keep to the project at hand. [y/N] ";
const ALLOW_HINT =
	"Claude asks before it runs `ccg recall` or `ccg memory save`; `ccg install --allow` lets it run them without.";

/** Prints where the copy runs from, and how to put `ccg` on PATH where no program of that name is there. */
function printHowToRun({ app, from, root }: CopyPlan, io: Io): void {
	const hasSomeCcg = !programsOnPath("ccg", permanentPath(io.env)).next().done;
	const link = `mkdir -p ~/.local/bin && ln -s ${shellWord(shortLauncherPath(root))} ~/.local/bin/ccg`;
	const howToType = hasSomeCcg ? "`ccg` is on your PATH." : `To type \`ccg\`, put it on your PATH: ${link}`;
	printText(`ccg ${from.version} runs from ${app}. ${howToType}`, io);
}
