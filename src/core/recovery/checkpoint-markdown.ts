import { grouped } from "../text/text.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { asImported, importedLine, withoutClaims } from "./imported.ts";
import { barred, foreign } from "./item-text.ts";
import { packed } from "./pack.ts";
import { sectionTexts } from "./section-text.ts";
import { sectionsOf } from "./sections.ts";

/** Names listed in the readable form; the JSON holds all. */
const NAMES = 200;

/** A checkpoint for people and the agent to read: everything the JSON holds, nothing left out but the tail of the names. */
export function checkpointMarkdown(checkpoint: Checkpoint): string {
	const { key, at, trigger, session, state, workspace, leftOut, projectDir, imported } = checkpoint;
	const head = [
		`# Context checkpoint ${key}`,
		"",
		`Taken ${at} (${trigger || "unknown trigger"}) of session ${session}` +
			`${state.tokens === null ? "" : `, at ${grouped(state.tokens)} tokens`}. Written by ccg.`,
		...(imported ? [importedLine(imported)] : []),
		"",
	];
	const lines = [
		"## Metacognitive state",
		`- Plan: ${told(workspace?.planSummary, "none")}`,
		`- Last failure: ${workspace?.lastFailure ? foreign(workspace.lastFailure) : lastFailure(checkpoint)}`,
		`- Self-model: ${workspace?.selfModelAge ?? "unknown"}`,
		`- Environment model: ${workspace?.envModelAge ?? "unknown"}`,
		...(workspace?.environment?.length
			? ["", "## Environment", ...workspace.environment.map((line) => `- ${line}`)]
			: []),
	];
	const assumed = state.assumptions.at(-1);
	lines.push(`- Pending assumption: ${told(assumed?.text, "none seen")}`);
	const dropped = Object.entries(state.dropped).map(([name, count]) => `${count} ${name}`);
	const cutMessages = state.messages.filter((message) => message.cut).length;
	if (cutMessages) dropped.push(`the ends of ${cutMessages} long messages`);
	if (dropped.length) lines.push("", `Left out for size, the oldest first: ${dropped.join(", ")}.`);
	if (leftOut?.length) lines.push("", `Left out when this was taken (the log says why): ${leftOut.join(", ")}.`);
	if (state.partial)
		lines.push("", "The transcript is longer than one reading takes: not all of its beginning was read.");
	const parts = withoutClaims(sectionsOf(state, workspace, true, projectDir || state.cwd), imported)
		.filter(({ items }) => items.length > 0)
		.sort((a, b) => a.place - b.place)
		.map((section) => {
			const items = section.inline ? section.items.slice(0, NAMES) : section.items;
			const told = items.map((item) => (item.long ? { ...item, text: item.long } : item));
			return { ...packed(section, new Set(told)), left: 0 };
		});
	lines.push(...sectionTexts(parts));
	if (state.plan)
		lines.push("", `## Plan text (${state.plan.approved ? "approved" : "not approved"})`, barred(state.plan.text));
	const long = state.messages.filter((message) => message.text.length > 1_200);
	if (long.length) lines.push("", imported ? "## Long messages" : "## Long messages of the user (verbatim)");
	for (const message of long)
		lines.push("", `### ${message.at || `message ${message.order}`}`, quotedLines(message.text));
	if (state.lastSaid) lines.push("", "## The agent's last words", barred(state.lastSaid));
	return `${head.join("\n")}\n${asImported(lines.join("\n"), imported)}\n`;
}

const told = (text: string | null | undefined, none: string): string => (text ? foreign(text) : none);
const quotedLines = (text: string): string => text.replace(/^/gm, "> ");

function lastFailure({ state }: Checkpoint): string {
	const failure = state.failures.at(-1);
	return failure ? `${foreign(failure.subject)} (${failure.resolved ? "resolved" : "not resolved"})` : "none";
}
