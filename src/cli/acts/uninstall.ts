import { whyOf } from "../../files/system-failure.ts";
import { type McpPlan, planMcp } from "../../install/mcp-plan.ts";
import { type InstallPlan, type InstallRequest, planUninstall } from "../../install/plan.ts";
import type { Ask } from "../support/ask-on-terminal.ts";
import { removeUnusedCopies } from "../support/copy-change.ts";
import type { Io } from "../support/io.ts";
import { changeMcp } from "../support/mcp-change.ts";
import { say } from "../support/say.ts";
import { type ChangeOptions, requestOf, showAndApply, tellFailure } from "../support/settings-change.ts";
import { skillsPlan, skillsSummary } from "../support/skills-change.ts";

export async function uninstall(options: ChangeOptions, io: Io, ask?: Ask): Promise<void> {
	const request = requestOf(io, options);
	let plan: InstallPlan | undefined;
	try {
		plan = await planUninstall(request);
		const mcp = await mcpPlan(options, request, io);
		const skills = options.scope === "user" ? skillsPlan("uninstall", request) : undefined;
		if (!plan.changed && !mcp?.changed && !skills?.changed) {
			io.out(`No entries of ccg in ${plan.path}; nothing to do.`);
			for (const note of plan.notes) say(note, io);
			if (!options.dryRun) removeUnused(request, io);
			return;
		}
		const where = [plan, mcp].flatMap((one) => (one?.changed ? [one.path] : [])).join(" and ");
		const summary = where ? [`This takes ccg's entries out of ${where}. What ccg has saved stays.`] : [];
		if (skills) summary.push(...skillsSummary(skills, request));
		if (!(await showAndApply(plan, request, { io, options, ask, summary, mcp, skills }))) return;
		if (mcp?.changed) await changeMcp(mcp, request, io);
		if (plan.changed)
			io.out(`Removed from ${plan.path}. Running sessions notice at once; what ccg saved stays where it is.`);
		removeUnused(request, io);
	} catch (error) {
		tellFailure(error, io, request, plan);
	}
}

function removeUnused(request: InstallRequest, io: Io): void {
	const done = removeUnusedCopies(request);
	if (done === "in use") say("ccg's copy in the store stays: another settings file starts it.", io);
	if (done === "removed") say("ccg's own files were removed from the store.", io);
}

/** The MCP server goes with the user's entries. A file that can't be read keeps nobody from taking out the rest. */
async function mcpPlan({ scope }: ChangeOptions, request: InstallRequest, io: Io): Promise<McpPlan | undefined> {
	if (scope !== "user") return undefined;
	try {
		return await planMcp("uninstall", request);
	} catch (error) {
		io.err(`ccg: the MCP server was not looked for: ${whyOf(error)}`);
		return undefined;
	}
}
