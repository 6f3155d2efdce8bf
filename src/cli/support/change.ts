import { truncate } from "../../core/text/text.ts";
import { errorText } from "../../files/system-failure.ts";
import { applyCopy, type CopyPlan } from "../../install/copy-plan.ts";
import { hasChanges, type InstallPlan, type InstallRequest, unifiedDiff } from "../../install/plan.ts";
import { SCOPES, type Scope } from "../../install/settings-sources.ts";
import { confirmChange } from "./answer.ts";
import { type Flags, option } from "./command.ts";
import { copySummary, resultText, summarizePlan } from "./install-words.ts";
import type { Io } from "./io.ts";
import { printText } from "./text.ts";

export const SCOPE = option("--scope <scope>", "which settings file: your own, or this repository's local one")
	.choices(SCOPES)
	.default("user");
export const STATUS_LINE = option(
	"--status-line",
	"with ccg as a plugin: only its status line, which a plugin can't register itself",
);

/** Options of these commands. */
export interface ChangeFlags extends Flags {
	scope: Scope;
	statusLine?: boolean;
	mcp?: boolean;
	skills?: boolean;
	allow?: boolean;
	inPlace?: boolean;
}

/** What a command that changes settings works with: its options, and the request that the plans are made from. */
export type Change = ReturnType<typeof makeChange>;

/** Makes the `Change` of a command from its options. */
export function makeChange(options: ChangeFlags, io: Io) {
	const { env, cwd, launcher } = io;
	const request: InstallRequest = { scope: options.scope, env, cwd, launcher };
	return { options, request, io };
}

/** Prints what the plans do and their diff, asks, and applies copy and plans in order. Gives whether they were applied. */
export async function confirmAndApply(plans: InstallPlan[], change: Change, copy?: CopyPlan | null): Promise<boolean> {
	const { request, options, io } = change;
	const ofCopy = copy?.changed ? copySummary(copy) : [];
	const summary = [...plans.flatMap((plan) => summarizePlan(plan, request)), ...ofCopy];
	for (const text of [...summary, ...plans.flatMap(({ notes }) => notes)]) printText(text, io);
	io.out("");
	const diffLines = plans.flatMap((plan) => [
		...(options.dryRun ? unifiedDiff(plan) : listChanges(plan)),
		...plan.commands.map((command) => `$ ${command}`),
	]);
	if (diffLines.length > 0) io.out(`${diffLines.map((line) => paintDiffLine(line, io)).join("\n")}\n`);
	if (options.dryRun) {
		io.err("Dry run: nothing was changed.");
		return false;
	}
	const changedPlans = plans.filter(hasChanges);
	const paths = changedPlans.map(({ path }) => path).join(" and ");
	const question = paths ? `Change ${paths}?` : "Use this version from now on?";
	if (!(await confirmChange(question, options.yes, io, { verb: "changed" }))) return false;
	// the copy first, since what the plans write starts it
	if (copy?.changed) {
		io.out(`Copying ccg ${copy.from.version}, and making one program of it ...`);
		await applyCopy(copy);
	}
	for (const plan of changedPlans) {
		try {
			await plan.apply();
			for (const text of resultText(plan, request)) printText(text, io);
		} catch (error) {
			// (without the settings nothing works; after any other failure the rest is still applied)
			if (plan.target === "settings") throw error;
			io.err(`ccg: ${plan.path}: ${errorText(error)}; run the command again`);
			io.setExitCode(1);
		}
	}
	return true;
}

/** Lists the files of a plan, and of a settings file the three diff lines around its first change. */
function listChanges(plan: InstallPlan): string[] {
	const { changes, kind, target } = plan;
	const files = changes.map(
		({ path, before, after }) => `${before === null ? "+" : after === null ? "-" : "~"} ${path}`,
	);
	if (target !== "settings" || !changes[0]?.before || changes[0].after === null) return files;
	const diff = unifiedDiff(plan);
	const lines = diff.slice(diff.findIndex((line) => line.startsWith("@@")) + 1).map((line) => truncate(line, 100));
	const first = lines.findIndex((line) => line.startsWith(kind === "install" ? "+" : "-"));
	return [...files, ...lines.slice(Math.max(0, first - 1), first + 2), "  ... (`--dry-run` shows every line)"];
}

/** Colours a line of a diff: headers bold, added lines green, removed ones red. */
function paintDiffLine(line: string, { colours }: Io): string {
	if (line.startsWith("+++ ") || line.startsWith("--- ")) return colours.bold(line);
	if (line.startsWith("+")) return colours.green(line);
	if (line.startsWith("-")) return colours.red(line);
	return line.startsWith("@@") ? colours.cyan(line) : line;
}
