import { safeHead } from "../text/safe-head.ts";

const GOAL = "**Goal**:";
const linesOf = (text: string): string[] => text.split("\n").flatMap((line) => line.trim() || []);

/**
 * Goal and current step of an `.active-plan.md`; `null` when the text holds neither goal nor steps. Line by line:
 * what a workspace holds was written by anybody, and no line can make another one be read again.
 */
export function planSummary(text: string): string | null {
	const lines = linesOf(text);
	const at = lines.findIndex((line) => line.includes(GOAL));
	// the goal may stand on the next line
	const goal = at >= 0 && (lines[at]!.split(GOAL)[1]!.trim() || lines[at + 1]);
	const current = lines.find((line) => /\[in[ .-]progress\]/i.test(line));
	const steps = lines.filter((line) => /^\d+\.\s/.test(line)).length;
	const parts = [goal && `goal: ${goal}`, current ? `current step: ${current}` : steps > 0 && `${steps} steps`];
	return safeHead(parts.filter(Boolean).join("; "), 500) || null;
}

/** The last entry of a failure log whose entries are separated by `---`: its first three lines on one. */
export function lastLoggedFailure(text: string): string | null {
	const entries: string[][] = [[]];
	for (const line of linesOf(text)) {
		if (line === "---") entries.push([]);
		else entries.at(-1)!.push(line);
	}
	const last = entries.findLast((lines) => lines.length > 0) ?? [];
	return safeHead(last.slice(0, 3).join(" "), 200) || null;
}

/** An age for people: `12m ago`, `3h ago`, `2d ago`. */
export function age(ms: number): string {
	const minutes = Math.max(0, Math.round(ms / 60_000));
	if (minutes < 60) return `${minutes}m ago`;
	return minutes < 48 * 60 ? `${Math.round(minutes / 60)}h ago` : `${Math.round(minutes / 1440)}d ago`;
}
