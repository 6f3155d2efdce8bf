import { dirname } from "node:path";
import { counted } from "../../core/text/text.ts";
import { whyOf } from "../../files/system-failure.ts";
import { toldIn } from "../../install/plan.ts";
import { canGrant, skillFiles } from "../../install/skill-files.ts";
import { applySkills, planSkills, type SkillsPlan, type SkillsRequest } from "../../install/skills-plan.ts";
import { textDiff } from "../../install/unified-diff.ts";
import type { Io } from "./io.ts";
import { say } from "./say.ts";

/** `from` is the folder ccg's files are in until they are copied to where the launcher will be. */
export function skillsPlan(kind: SkillsPlan["kind"], request: SkillsRequest, from?: string): SkillsPlan {
	if (kind === "uninstall") return planSkills(kind, request, []);
	return planSkills(kind, request, skillFiles(toldIn(request), from ?? dirname(dirname(request.launcher))));
}

/** The change as the lines of one diff for each file. */
export const skillsDiff = ({ path, changes }: SkillsPlan): string[] =>
	changes.flatMap(({ path: name, before, after }) => textDiff({ path: `${path}/${name}`, before, after }));

/** What is done, for those who do not read diffs, and what is left alone. */
export function skillsSummary({ kind, path, changes, kept }: SkillsPlan, request: SkillsRequest): string[] {
	const names = changes.map(({ path: name }) => name);
	const commands = names.filter((name) => name.startsWith("commands/")).map(commandOf);
	const agents = names.filter((name) => name.startsWith("agents/")).map(agentOf);
	const grants = canGrant(toldIn(request))
		? "those you type grant their own `ccg` command while they run"
		: "without grants, as this path of ccg has signs that a grant can't name: Claude Code asks at each command";
	const done =
		kind === "install"
			? [
					`In ${path} this writes slash commands and the agent context-guardian, as files:`,
					`  ${[...commands, ...agents].join(", ")} (${grants})`,
					"`ccg uninstall` deletes them again, but not those you have edited.",
				]
			: [`This deletes from ${path}: ${names.join(", ")}`];
	return [...(names.length ? done : []), ...kept.map(({ path: at, why }) => `Warning: ${at} stays as it is: ${why}.`)];
}

const commandOf = (name: string): string => `/${name.slice("commands/".length, -".md".length).replace("/", ":")}`;
const agentOf = (name: string): string => `agent ${name.slice("agents/".length, -".md".length)}`;

/** Writes or deletes the files. A failure is told; what was done before it stays, and is known by the receipt. */
export async function changeSkills(plan: SkillsPlan, request: SkillsRequest, io: Io): Promise<void> {
	try {
		const left = await applySkills(plan, request);
		for (const name of left) io.err(`ccg: ${plan.path}/${name} was changed meanwhile, and stays as it is`);
		if (plan.changes.length === 0) return;
		const files = counted(plan.changes.length - left.length, "file");
		say(
			plan.kind === "install"
				? `Wrote ${files} in ${plan.path}. New sessions know /ccg:checkpoint, /ccg:restore and the rest.`
				: `Deleted ${files} in ${plan.path}.`,
			io,
		);
	} catch (error) {
		io.err(`ccg: in ${plan.path} not all was changed: ${whyOf(error)}; run the command again`);
		io.exit(1);
	}
}
