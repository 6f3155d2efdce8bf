import { dirname } from "node:path";
import { errorCode, systemPath, systemReason, whyOf } from "../../files/system-failure.ts";
import { applyCopy, type CopyPlan } from "../../install/copy-plan.ts";
import { type OwnCopy, recompile } from "../../install/own-copy.ts";
import { apply, type InstallRequest } from "../../install/plan.ts";
import { SCOPES, type Scope } from "../../install/settings-path.ts";
import { requestedCatalog } from "../../install/settings-plan.ts";
import { addEntries, EMPTY_SETTINGS } from "../../install/settings-text.ts";
import { unifiedDiff } from "../../install/unified-diff.ts";
import { withColdLock } from "../../store/lock.ts";
import { isConfirmed } from "./answer.ts";
import { type Given, option, type Spec } from "./command.ts";
import { copySummary, doneText, summaryOf, type TargetPlan } from "./install-words.ts";
import type { Io } from "./io.ts";
import { say } from "./text.ts";

// How a command changes settings: what is planned is told, shown as a diff, asked for, and done.

/** Of the commands that change a settings file: 0 done, nothing to do, or declined; 1 failed; 2 nobody there to confirm. */
export const EXIT_CODES = `
Exit codes: 0 done (or nothing to do), 1 failed and nothing changed, 2 nobody to ask and no --yes.`;

export const scopeOption = (about: string) => option("--scope <scope>", about).choices(SCOPES).default("user");

/** Options of these commands. */
export interface ChangeOptions extends Given {
	scope: Scope;
	statusLine?: boolean;
}

/** A command at work on what was asked for. */
export type Change = ReturnType<typeof changeOf>;

export function changeOf(spec: Spec, name: string, options: ChangeOptions, io: Io) {
	const { env, cwd, launcher } = io;
	const request: InstallRequest = { scope: options.scope, env, cwd, launcher };
	return { spec, name, options, request, io };
}

/** Tells what the plans do, shows them as a diff, asks, and does them in their order. Gives whether it was let do so. */
export async function showAndApply(plans: TargetPlan[], change: Change, copy?: CopyPlan | null): Promise<boolean> {
	const { request, options, io } = change;
	const summary = [...plans.flatMap((plan) => summaryOf(plan, request)), ...(copy?.changed ? copySummary(copy) : [])];
	for (const text of [...summary, ...plans.flatMap(({ notes }) => notes)]) say(text, io);
	io.out("");
	const diff = plans.flatMap(unifiedDiff);
	if (diff.length > 0) io.out(`${diff.map((line) => coloured(line, io)).join("\n")}\n`);
	if (options.dryRun) {
		io.err("Dry run: nothing was changed.");
		return false;
	}
	const changed = plans.filter((plan) => plan.changed);
	const paths = changed.map(({ path }) => path).join(" and ");
	const question = paths ? `Change ${paths}?` : "Use this version from now on?";
	const how = `To apply this: ${asTypedAgain(change).join(" ")}`;
	if (!(await isConfirmed(question, options.yes, io, { done: "changed", how }))) return false;
	// before anything names it
	if (copy?.changed) await applyCopy(copy);
	for (const plan of changed) await applyOne(plan, request, io);
	return true;
}

/** The command as it was called, for whoever adds `--yes`. */
function asTypedAgain({ spec, name, options }: Change): string[] {
	const given = (spec.options ?? []).flatMap((one) => {
		const value = (options as unknown as Record<string, unknown>)[one.attributeName()];
		if (value === undefined || value === one.defaultValue) return [];
		return value === true ? [one.long!] : [one.long!, String(value)];
	});
	return ["ccg", name, ...given, "--yes"];
}

/** A failure of the settings is thrown; one of the others is told, and keeps nobody from the rest. */
async function applyOne(plan: TargetPlan, request: InstallRequest, io: Io): Promise<void> {
	try {
		await apply(plan);
	} catch (error) {
		if (plan.target === "settings") throw error;
		io.err(`ccg: ${plan.path}: ${whyOf(error)}; run the command again`);
		return io.exit(1);
	}
	for (const text of doneText(plan, request)) say(text, io);
}

/** Tells a failure: one message, exit code 1, and the entries to paste where the file can't be written. */
export function tellFailure(error: unknown, { io, request }: Change, plan?: TargetPlan): void {
	const path = systemReason(error) === null ? null : systemPath(error);
	const message = path === null ? whyOf(error) : `${path}: ${whyOf(error)}`;
	// what the file system says names the reason, but not what to do
	const isSystems = /^E[A-Z]+$/.test(errorCode(error));
	io.err(`ccg: ${message}${isSystems ? ". The settings were not changed; check that path and its permissions." : ""}`);
	io.exit(1);
	if (errorCode(error) !== "SETTINGS_READONLY" || plan?.kind !== "install") return;
	io.err("These entries can be pasted there by hand:");
	const { allowMemory, allowRecall } = request;
	const inherited = plan.wraps === undefined ? undefined : ({ type: "command", command: plan.wraps } as const);
	io.out(addEntries(EMPTY_SETTINGS, requestedCatalog(request), { allowMemory, allowRecall, inherited }).trimEnd());
}

function coloured(line: string, { colours }: Io): string {
	if (/^(\+\+\+|---) /.test(line)) return colours.bold(line);
	if (line.startsWith("+")) return colours.green(line);
	if (line.startsWith("-")) return colours.red(line);
	return line.startsWith("@@") ? colours.cyan(line) : line;
}

/** Makes bytecode for a copy that has none. It works without, so a failure is only told. */
export async function speedUp(copy: OwnCopy, app: string, io: Io): Promise<void> {
	if (copy.facts.bytecode || !process.versions.bun) return;
	try {
		await withColdLock(`${dirname(app)}/run/copy`, () => recompile(app, copy));
	} catch (error) {
		io.err(`ccg: no bytecode could be made (${whyOf(error)}); everything works, hooks start slower`);
	}
}
