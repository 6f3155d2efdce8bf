import { safeHead } from "../text/safe-head.ts";

/**
 * Goal and current step of an `.active-plan.md`; `null` when the text holds neither goal nor steps. Line by line:
 * what a workspace holds was written by anybody, and no line can make another one be read again.
 */
export function planSummary(text: string): string | null {
	let goal = "";
	let current = "";
	let steps = 0;
	let isAwaited = false;
	for (const line of linesOf(text)) {
		const bare = line.trim();
		if (!bare) continue;
		// the goal may stand on the next line
		if (isAwaited && !goal) goal = bare;
		isAwaited = false;
		const at = goal ? -1 : bare.indexOf(GOAL);
		if (at >= 0) {
			goal = bare.slice(at + GOAL.length).trim();
			isAwaited = !goal;
		}
		if (!current && IN_PROGRESS.test(bare)) current = bare;
		if (STEP.test(bare)) steps++;
	}
	const parts = [goal && `goal: ${goal}`, current ? `current step: ${current}` : steps > 0 && `${steps} steps`];
	const summary = safeHead(parts.filter(Boolean).join("; "), 500);
	return summary || null;
}

const GOAL = "**Goal**:";
const IN_PROGRESS = /\[in[ .-]progress\]/i;
const STEP = /^\d+\.\s/;

/** The last entry of a failure log whose entries are separated by `---`: its first three lines on one. */
export function lastLoggedFailure(text: string): string | null {
	let entry: string[] = [];
	let isNew = true;
	for (const line of linesOf(text)) {
		if (line.startsWith("---") && !line.slice(3).trim()) isNew = true;
		else if (line.trim()) {
			if (isNew) entry = [];
			isNew = false;
			if (entry.length < 3) entry.push(line.trim());
		}
	}
	return safeHead(entry.join(" "), 200) || null;
}

/** One after the other: a list of all would take many times the text's size. */
function* linesOf(text: string): Generator<string> {
	for (let at = 0; at <= text.length; ) {
		const feed = text.indexOf("\n", at);
		const end = feed < 0 ? text.length : feed;
		yield text.slice(at, end);
		at = end + 1;
	}
}

/** An age for people: `12m ago`, `3h ago`, `2d ago`. */
export function age(ms: number): string {
	const minutes = Math.max(0, Math.round(ms / 60_000));
	if (minutes < 60) return `${minutes}m ago`;
	return minutes < 48 * 60 ? `${Math.round(minutes / 60)}h ago` : `${Math.round(minutes / 1440)}d ago`;
}
