import { type InstallPlan, planUninstall } from "../../install/plan.ts";
import type { Ask } from "../support/ask-on-terminal.ts";
import type { Io } from "../support/io.ts";
import { say } from "../support/say.ts";
import { type ChangeOptions, requestOf, showAndApply, tellFailure } from "../support/settings-change.ts";

export async function uninstall(options: ChangeOptions, io: Io, ask?: Ask): Promise<void> {
	const request = requestOf(io, options);
	let plan: InstallPlan | undefined;
	try {
		plan = await planUninstall(request);
		if (!plan.changed) {
			io.out(`No entries of ccg in ${plan.path}; nothing to do.`);
			for (const note of plan.notes) say(note, io);
			return;
		}
		const summary = [`This takes ccg's entries out of ${plan.path}. What ccg has saved stays.`];
		if (!(await showAndApply(plan, request, { io, options, ask, summary }))) return;
		io.out(`Removed from ${plan.path}. Running sessions notice at once; what ccg saved stays where it is.`);
	} catch (error) {
		tellFailure(error, io, request, plan);
	}
}
