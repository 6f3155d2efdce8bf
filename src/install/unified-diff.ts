import { createTwoFilesPatch } from "diff";
import type { InstallPlan } from "./plan.ts";
import { hideEnvironment } from "./settings-text.ts";

/** The plan as the lines of a unified diff. Values of the `env` block are hidden: what is printed may end in a transcript. */
export function unifiedDiff({ path, before, after }: Change): string[] {
	const shown = (text: string | null) => (text === null ? null : hideEnvironment(text));
	return textDiff({ path, before: shown(before), after: shown(after) });
}

/** A change of any text file; `null` stands for no file. */
export function textDiff({ path, before, after }: Change): string[] {
	const name = (text: string | null) => (text === null ? "/dev/null" : path);
	const shown = (text: string | null) => text ?? "";
	const patch = createTwoFilesPatch(name(before), name(after), shown(before), shown(after));
	return patch
		.replace(/^=+\r?\n/, "")
		.trimEnd()
		.split("\n");
}

type Change = Pick<InstallPlan, "path" | "before" | "after">;
