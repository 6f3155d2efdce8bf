import { createTwoFilesPatch } from "diff";
import type { InstallPlan } from "./plan.ts";

/** The plan as the lines of unified diffs. */
export function unifiedDiff({ changes, name, shown }: Pick<InstallPlan, "changes" | "name" | "shown">): string[] {
	return changes.flatMap(({ path, before, after }) => {
		const head = (text: string | null): string => (text === null ? "/dev/null" : (name ?? path));
		const [from, to] = [before, after].map((text) => (text === null ? "" : shown(text))) as [string, string];
		return createTwoFilesPatch(head(before), head(after), from, to)
			.replace(/^=+\r?\n/, "")
			.trimEnd()
			.split("\n");
	});
}
