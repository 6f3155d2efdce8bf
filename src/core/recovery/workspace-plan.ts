import { safeHead } from "../safe-head.ts";

/** Goal and current step of an `.active-plan.md` (seed 1); `null` when the text holds neither goal nor steps. */
export function planSummary(text: string): string | null {
	const goal = /\*\*Goal\*\*:\s*(.+)/.exec(text)?.[1]?.trim();
	const current = /^.*\[in[ .-]progress\].*$/im.exec(text)?.[0]?.trim();
	const steps = text.match(/^\s*\d+\.\s.+/gm)?.length ?? 0;
	const parts = [goal && `goal: ${goal}`, current ? `current step: ${current}` : steps > 0 && `${steps} steps`];
	const summary = safeHead(parts.filter(Boolean).join("; "), 500);
	return summary || null;
}

/** The last entry of a failure log whose entries are separated by `---` (seed 1): its first three lines on one. */
export function lastLoggedFailure(text: string): string | null {
	const entry = text
		.split(/^---\s*$/m)
		.filter((part) => part.trim())
		.at(-1);
	return safeHead(entry?.trim().split("\n").slice(0, 3).join(" ") ?? "", 200) || null;
}

/** An age for people: `12m ago`, `3h ago`, `2d ago`. */
export function age(ms: number): string {
	const minutes = Math.max(0, Math.round(ms / 60_000));
	if (minutes < 60) return `${minutes}m ago`;
	return minutes < 48 * 60 ? `${Math.round(minutes / 60)}h ago` : `${Math.round(minutes / 1440)}d ago`;
}
