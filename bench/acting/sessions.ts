import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type FidelityCase, loadCases } from "../fidelity/cases.ts";

export const DATA = import.meta.dirname;
/** Summaries as an old client writes them, short; and as one of today does. */
export const KINDS = ["old", "new"] as const;
export type Kind = (typeof KINDS)[number];

export interface Situation {
	id: string;
	session: string;
	/** What doing right depends on. */
	depends: string;
	/** What the user says now. */
	says: string;
	right: string;
	trap: string;
	/** Stands in the transcript, before the compaction. */
	evidence: string;
}

/** A compaction and what the model had right after it, ccg aside. */
export interface Compacted extends FidelityCase {
	context: string;
}

export const situations = (): Situation[] => JSON.parse(readFileSync(join(DATA, "situations.json"), "utf8"));

/** Names of the sessions, in order. */
export const sessions = (): string[] =>
	readdirSync(join(DATA, "scripts"))
		.map((name) => name.replace(/\.txt$/, ""))
		.sort();

/** Each session's compaction as if the client had written a summary of this kind. */
export const compacted = (kind: Kind): Compacted[] =>
	loadCases(join(DATA, "transcripts")).map((one) => (kind === "new" ? today(one) : old(one)));

/** What Claude Code puts back beside the summary: the last message, files, what runs. */
function today(one: FidelityCase): Compacted {
	const entries = one.after.map((line) => JSON.parse(line));
	const kept = new Set<string>(entries[0].compactMetadata.preservedMessages?.uuids ?? []);
	const last = one.sofar
		.filter(({ uuid }) => kept.has(uuid))
		.map(({ message }) => `You said last: ${textOf(message.content)}`);
	const back = entries.flatMap(({ rendered }) => (rendered ?? []).map(({ content }: { content: string }) => content));
	return { ...one, context: [one.summary, ...last, ...back].join("\n\n") };
}

function old(one: FidelityCase): Compacted {
	const summary = `This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\n${readFileSync(join(DATA, "summaries", `${one.name}.old.txt`), "utf8")}`;
	const after = one.after
		.map((line) => JSON.parse(line))
		.filter(({ type }) => type !== "attachment")
		.map((entry) =>
			JSON.stringify(entry.isCompactSummary ? { ...entry, message: { role: "user", content: summary } } : entry),
		);
	return { ...one, after, summary, context: summary };
}

const textOf = (content: { type: string; text?: string }[]): string => content.map(({ text }) => text ?? "").join("\n");
