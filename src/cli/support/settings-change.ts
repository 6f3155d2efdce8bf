import { errorCode, systemPath, systemReason, whyOf } from "../../files/system-failure.ts";
import { type Allowed, settingsValue } from "../../install/catalog.ts";
import type { McpPlan } from "../../install/mcp-plan.ts";
import { applyPlan, type InstallPlan, type InstallRequest, requestedCatalog } from "../../install/plan.ts";
import type { Scope } from "../../install/settings-path.ts";
import type { SkillsPlan } from "../../install/skills-plan.ts";
import { unifiedDiff } from "../../install/unified-diff.ts";
import { type Ask, askOnTerminal } from "./ask-on-terminal.ts";
import { applyCopy, type CopyPlan } from "./copy-change.ts";
import type { Io } from "./io.ts";
import { mcpDiff } from "./mcp-change.ts";
import { say } from "./say.ts";
import { changeSkills, skillsDiff } from "./skills-change.ts";

export interface ChangeOptions extends Allowed {
	scope: Scope;
	yes?: boolean;
	dryRun?: boolean;
	claudeVersion?: string;
	/** Also the MCP server, in Claude Code's own file. */
	mcp?: boolean;
	/** Register the folder that runs this, without a copy. */
	inPlace?: boolean;
	/** The command that was called, where its plan has another name. */
	verb?: string;
	/** Also slash commands and the agent, in Claude Code's folder. */
	skills?: boolean;
}

export function requestOf(io: Io, { scope, allowMemory, allowRecall }: ChangeOptions): InstallRequest {
	return { scope, env: io.env, cwd: io.cwd, launcher: io.launcher, allowMemory, allowRecall, tell: io.tell };
}

/** Tells what the plans do, shows them as a diff, asks, applies them. Gives whether it was let do so. */
export async function showAndApply(
	plan: InstallPlan,
	request: InstallRequest,
	{
		io,
		options,
		ask = askOnTerminal,
		summary,
		mcp,
		copy,
		skills,
	}: {
		io: Io;
		options: ChangeOptions;
		ask?: Ask | undefined;
		summary: string[];
		mcp?: McpPlan | undefined;
		copy?: CopyPlan | undefined;
		skills?: SkillsPlan | undefined;
	},
): Promise<boolean> {
	for (const text of [...summary, ...plan.notes]) say(text, io);
	io.out("");
	const diff = diffOf(plan, mcp, skills);
	for (const line of diff) io.out(coloured(line, io));
	if (diff.length > 0) io.out("");
	if (options.dryRun) {
		io.err("Dry run: nothing was changed.");
		return false;
	}
	if (!options.yes && !io.interactive) {
		io.err(`Nothing was changed: there is no terminal to ask on. To apply this: ${withYes(plan, options)}`);
		io.exit(2);
		return false;
	}
	const paths = changedPaths(plan, mcp, skills);
	const question = paths.length > 0 ? `Change ${paths.join(" and ")}?` : "Use this version from now on?";
	if (!options.yes && !(await ask(`${question} [y/N] `))) {
		io.err("Nothing was changed.");
		return false;
	}
	// before anything names it
	if (copy?.changed) await applyCopy(copy);
	// before the settings file's folder is looked at, which goes when it is empty
	if (skills?.changed && skills.kind === "uninstall") await changeSkills(skills, request, io);
	if (plan.changed) await applyPlan(plan, request);
	return true;
}

const diffOf = (plan: InstallPlan, mcp: McpPlan | undefined, skills: SkillsPlan | undefined): string[] => [
	...(plan.changed ? unifiedDiff(plan) : []),
	...(mcp?.changed ? mcpDiff(mcp) : []),
	...(skills?.changed ? skillsDiff(skills) : []),
];

const changedPaths = (...plans: (InstallPlan | McpPlan | SkillsPlan | undefined)[]): string[] =>
	plans.flatMap((plan) => (plan?.changed ? [plan.path] : []));

/** Tells a failure: one message, exit code 1, and the entries to paste where the file can't be written. */
export function tellFailure(error: unknown, io: Io, request: InstallRequest, plan?: InstallPlan): void {
	io.err(`ccg: ${explained(error)}`);
	io.exit(1);
	if (errorCode(error) !== "SETTINGS_READONLY" || plan?.kind !== "install") return;
	io.err("These entries can be pasted there by hand:");
	const value = settingsValue(requestedCatalog(request), {
		wrapped: plan.wraps,
		allowMemory: request.allowMemory,
		allowRecall: request.allowRecall,
	});
	io.out(JSON.stringify(value, null, 2));
}

function withYes(
	{ kind }: InstallPlan,
	{ scope, allowMemory, allowRecall, claudeVersion, mcp, skills, inPlace, verb }: ChangeOptions,
): string {
	const words = [
		"ccg",
		verb ?? kind,
		...(scope === "user" ? [] : ["--scope", scope]),
		...(claudeVersion ? ["--claude-version", claudeVersion] : []),
		...(allowMemory ? ["--allow-memory"] : []),
		...(allowRecall ? ["--allow-recall"] : []),
		...(mcp ? ["--mcp"] : []),
		...(inPlace ? ["--in-place"] : []),
		...(skills ? ["--skills"] : []),
	];
	return [...words, "--yes"].join(" ");
}

/** What the file system says names the reason, but not what to do. */
function explained(error: unknown): string {
	const path = systemReason(error) === null ? null : systemPath(error);
	const message = path === null ? whyOf(error) : `${path}: ${whyOf(error)}`;
	return /^E[A-Z]+$/.test(errorCode(error))
		? `${message}. The settings were not changed; check that path and its permissions.`
		: message;
}

function coloured(line: string, { colours }: Io): string {
	if (/^(\+\+\+|---) /.test(line)) return colours.bold(line);
	if (line.startsWith("+")) return colours.green(line);
	if (line.startsWith("-")) return colours.red(line);
	return line.startsWith("@@") ? colours.cyan(line) : line;
}
