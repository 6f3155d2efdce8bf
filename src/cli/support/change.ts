import { cut } from "../../core/text/text.ts";
import { whyOf } from "../../files/system-failure.ts";
import { applyCopy, type CopyPlan } from "../../install/copy-plan.ts";
import { type InstallPlan, type InstallRequest, isChange, unifiedDiff } from "../../install/plan.ts";
import { SCOPES, type Scope } from "../../install/settings-sources.ts";
import { isConfirmed } from "./answer.ts";
import { type Given, option } from "./command.ts";
import { copySummary, doneText, summaryOf } from "./install-words.ts";
import type { Io } from "./io.ts";
import { say } from "./text.ts";

// How a command changes settings: it says what is planned, shows it as a diff, asks, and does it.

export const SCOPE = option("--scope <scope>", "which settings file: your own, or this repository's local one")
	.choices(SCOPES)
	.default("user");
export const STATUS_LINE = option(
	"--status-line",
	"with ccg as a plugin: only its status line, which a plugin can't register itself",
);

/** Options of these commands. */
export interface ChangeOptions extends Given {
	scope: Scope;
	statusLine?: boolean;
	mcp?: boolean;
	skills?: boolean;
	allow?: boolean;
	inPlace?: boolean;
}

/** What a command that changes settings works with: its options, and the request that the plans are made from. */
export type Change = ReturnType<typeof planChange>;

export function planChange(options: ChangeOptions, io: Io) {
	const { env, cwd, launcher } = io;
	const request: InstallRequest = { scope: options.scope, env, cwd, launcher };
	return { options, request, io };
}

/** Says what the plans do, shows them as a diff, asks, and carries them out in their order. Gives whether they were carried out. */
export async function showAndApply(plans: InstallPlan[], change: Change, copy?: CopyPlan | null): Promise<boolean> {
	const { request, options, io } = change;
	const summary = [...plans.flatMap((plan) => summaryOf(plan, request)), ...(copy?.changed ? copySummary(copy) : [])];
	for (const text of [...summary, ...plans.flatMap(({ notes }) => notes)]) say(text, io);
	io.out("");
	const lines = plans.flatMap((plan) => [
		...(options.dryRun ? unifiedDiff(plan) : listChanges(plan)),
		...plan.commands.map((command) => `$ ${command}`),
	]);
	if (lines.length > 0) io.out(`${lines.map((line) => paintDiff(line, io)).join("\n")}\n`);
	if (options.dryRun) {
		io.err("Dry run: nothing was changed.");
		return false;
	}
	const changes = plans.filter(isChange);
	const paths = changes.map(({ path }) => path).join(" and ");
	const question = paths ? `Change ${paths}?` : "Use this version from now on?";
	if (!(await isConfirmed(question, options.yes, io, { done: "changed" }))) return false;
	// first the copy: what the plans write names it
	if (copy?.changed) {
		io.out(`Copying ccg ${copy.from.version}, and making one program of it ...`);
		await applyCopy(copy);
	}
	for (const plan of changes) {
		try {
			await plan.act();
			for (const text of doneText(plan, request)) say(text, io);
		} catch (error) {
			// (without the settings nothing works; any other plan that fails does not keep the rest from being carried out)
			if (plan.target === "settings") throw error;
			io.err(`ccg: ${plan.path}: ${whyOf(error)}; run the command again`);
			io.exit(1);
		}
	}
	return true;
}

/** Lists the files of a plan, and of a settings file three lines around its first change; a dry run shows every line. */
function listChanges(plan: InstallPlan): string[] {
	const { changes, kind, target } = plan;
	const names = changes.map(
		({ path, before, after }) => `${before === null ? "+" : after === null ? "-" : "~"} ${path}`,
	);
	if (target !== "settings" || !changes[0]?.before || changes[0].after === null) return names;
	const diff = unifiedDiff(plan);
	const lines = diff.slice(diff.findIndex((line) => line.startsWith("@@")) + 1).map((line) => cut(line, 100));
	const at = lines.findIndex((line) => line.startsWith(kind === "install" ? "+" : "-"));
	return [...names, ...lines.slice(Math.max(0, at - 1), at + 2), "  ... (`--dry-run` shows every line)"];
}

function paintDiff(line: string, { colours }: Io): string {
	if (line.startsWith("+++ ") || line.startsWith("--- ")) return colours.bold(line);
	if (line.startsWith("+")) return colours.green(line);
	if (line.startsWith("-")) return colours.red(line);
	return line.startsWith("@@") ? colours.cyan(line) : line;
}
