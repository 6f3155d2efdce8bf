import { statSync } from "node:fs";
import { appendText, writeText } from "../gate.ts";
import { readText } from "../json-file.ts";
import { observedTriggersPath } from "../paths.ts";
import type { Store } from "../session-handle.ts";

const KEPT = 16;
const MAX_BYTES = 256 * 1024;

interface SeenBoundary {
	uuid: string;
	preTokens: number;
}

/** `preTokens` of the automatic compactions seen under a key, oldest first. A missing or broken file gives none. */
export function observedTriggers({ root }: Pick<Store, "root">): (key: string) => number[] {
	const lines = linesOf(root);
	return (key) =>
		lines
			.filter((line) => line.key === key)
			.slice(-KEPT)
			.map(({ preTokens }) => preTokens);
}

/** Keeps compactions, each once per boundary: a line each, added to a file of the store. */
export function recordTriggers({ root }: Pick<Store, "root">, key: string, seen: readonly SeenBoundary[]): void {
	const known = linesOf(root);
	const added = seen.filter(({ uuid }) => !known.some((line) => line.key === key && line.uuid === uuid));
	if (added.length === 0) return;
	const path = observedTriggersPath(root);
	appendText(path, added.map(({ uuid, preTokens }) => `${JSON.stringify([key, uuid, preTokens])}\n`).join(""));
	if (statSync(path).size > MAX_BYTES) writeText(path, newest(linesOf(root)));
}

type Line = SeenBoundary & { key: string };

/** Each boundary once; lines that can't be read are passed over. */
function linesOf(root: string): Line[] {
	const found = new Map<string, Line>();
	for (const line of (readText(observedTriggersPath(root), 4 * MAX_BYTES) ?? "").split("\n"))
		try {
			const [key, uuid, preTokens] = JSON.parse(line);
			const isWhole = typeof key === "string" && typeof uuid === "string" && Number.isFinite(preTokens);
			if (isWhole && !found.has(`${key} ${uuid}`)) found.set(`${key} ${uuid}`, { key, uuid, preTokens });
		} catch {
			// cut short by a full disk, or empty
		}
	return [...found.values()];
}

function newest(lines: readonly Line[]): string {
	const kept = lines.filter((line, i) => lines.slice(i + 1).filter(({ key }) => key === line.key).length < KEPT);
	return kept.map(({ key, uuid, preTokens }) => `${JSON.stringify([key, uuid, preTokens])}\n`).join("");
}
