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

/** Registers ccg: plans copy and settings, shows them, asks, and carries them out; then says what keeps it from running. */
async function register(options: ChangeOptions, asker: Io): Promise<void> {
	const copy = planCopy(asker, options);
	// messages name the short command, which lasts, not the launcher that runs now
	const io = copy && ownName(asker) !== "ccg" ? { ...asker, launcher: shortLauncher(copy.root) } : asker;
	const change = planChange(options, io);
	const { request } = change;
	Object.assign(request, { launcher: copy?.launcher ?? asker.launcher, from: copy?.from.root, allow: options.allow });
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

/** Warns of what keeps Claude Code from running the registered commands, as `ccg doctor` finds it. */
function sayObstacles({ request, io }: Change): void {
	for (const { title, detail, fix } of findObstacles({ ...request, tell: io.tell }))
		say(`Warning: ${title}: ${detail}.${fix ? ` To mend it: ${fix}.` : ""}`, io);
}

/** Throws where MCP server or slash commands are asked for in another scope: they are the user's, in all projects. */
function refuseOtherScope({ mcp, skills, scope }: ChangeOptions): void {
	if (scope === "user" || (!mcp && !skills)) return;
	const [option, does] = skills ? ["--skills", "writes slash commands"] : ["--mcp", "registers the server"];
	throw new Error(`${option} ${does} for all your projects; leave --scope ${scope} out. Nothing was changed.`);
}

/** Plans what is registered in the settings file, and offers to let the agent run `ccg recall` and `ccg memory save`. */
async function settingsPlan({ request, options, io }: Change): Promise<InstallPlan> {
	const canAsk = io.interactive && !options.yes && !options.dryRun;
	let settings = await planSettings("install", request);
	const [change] = settings.changes;
	if (!change) return settings;
	const isGranted = grantRules(launcherToTell(request)).every((rule) => change.before?.includes(rule));
	const isOffered = !options.allow && !isGranted;
	if (isOffered && canAsk && (await io.ask(OFFER))) {
		request.allow = true;
		settings = await planSettings("install", request);
	}
	if (isOffered && !canAsk) settings.notes.push(OFFERED);
	if (options.scope === "local" && change.before === null)
		settings.notes.push(`${settings.path} is this machine's own: keep it out of git, if it is not ignored already`);
	return settings;
}

const OFFER =
	"May Claude look things up with `ccg recall` and save notes with `ccg memory save` without asking? Both keep to the project at hand. [y/N] ";
const OFFERED =
	"Claude asks before it runs `ccg recall` or `ccg memory save`; `ccg install --allow` lets it run them without.";

/** Says where the copy runs from, and how `ccg` can be typed. Any program of that name on PATH counts, not only this ccg. */
function sayWhereItRuns({ app, from, root }: CopyPlan, io: Io): void {
	const hasSomeCcg = !programsOnPath("ccg", lastingPath(io.env)).next().done;
	const link = `mkdir -p ~/.local/bin && ln -s ${shellWord(shortLauncher(root))} ~/.local/bin/ccg`;
	const howToType = hasSomeCcg ? "`ccg` is on your PATH." : `To type \`ccg\`, put it on your PATH: ${link}`;
	say(`ccg ${from.version} runs from ${app}. ${howToType}`, io);
}
