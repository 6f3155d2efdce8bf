import { inBackticks, quoteWithBars } from "../text/quoted.ts";
import type { Checkpoint } from "./checkpoint.ts";
import type { Validation } from "./fit.ts";

/** The lines that `ccg checkpoint save` prints after a save. */
export function savedReport({ key, at, session, note }: Checkpoint, { integrity, coverage }: Validation): string[] {
	return [
		`saved ${key}, from ${at}, of session ${session}`,
		...(note ? [`note: ${inBackticks(note)}`] : []),
		integrityLine(integrity),
		coverageLine(coverage),
		`\`ccg checkpoint restore ${key}\` gives it back, \`ccg show ${key}\` prints it.`,
	];
}

/** Lines on a checkpoint's integrity, freshness and coverage. */
export const validationReport = ({ key, session, valid, integrity, freshness, coverage }: Validation): string[] => [
	`${key} of session ${session}: ${valid ? "fit" : "NOT fit"} for a restore`,
	`  ${integrityLine(integrity)}`,
	`  freshness: ${freshnessText(freshness)}`,
	`  ${coverageLine(coverage)}`,
];

/**
 * The lines printed after a restore. `into`: who gets it; `changes`: what has changed since, in words; `savedBefore`: the key of the checkpoint
 * that the restore made of the session as it was, `null` where there was nothing to save.
 */
export function restoredReport(
	{ key, at, imported }: Checkpoint,
	{ freshness, coverage }: Validation,
	{ into, changes, savedBefore }: { into: string; changes: readonly string[]; savedBefore: string | null },
): string[] {
	return [
		`restored ${key} to ${into}`,
		`from ${at}: ${freshnessText(freshness)}`,
		...(imported ? [importedHead(imported)] : []),
		...(savedBefore ? [`the present was saved before, as ${savedBefore}`] : []),
		...(changes.length > 0 ? changes : ["nothing, as far as ccg looked"]).map((one) => `changed since: ${one}`),
		...coverage.gone.map((one) => `missing: ${one}`),
	];
}

const integrityLine = ({ problems }: Validation["integrity"]): string =>
	`integrity: ${problems.join("; ") || "as it was saved"}`;

const freshnessText = ({ fresh, ageHours, maxHours }: Validation["freshness"]): string =>
	`${fresh ? "fresh" : "stale"}, ${ageHours ?? "unknown"} h old (limit ${maxHours} h)`;
/** How much of what it can hold a checkpoint holds, what is unknown, and what is gone. */
const coverageLine = ({ percent, missing, gone }: Validation["coverage"]): string =>
	[
		`coverage: ${percent} % of what it can hold`,
		...(missing.length > 0 ? [`not known: ${missing.join(", ")}`] : []),
		...gone.map((one) => `gone: ${one}`),
	].join("; ");

/** The lines above the text of an imported checkpoint: when it came, from where, and whether its seal is whole; `""` for any other. */
export function importedHead(imported: Checkpoint["imported"]): string {
	if (!imported) return "";
	const { at, from, isSealed, id } = imported;
	const source = id
		? `${inBackticks(from)}, a machine that this one shares with ('ccg sync')`
		: `the file ${inBackticks(from)}`;
	return (
		`It came ${at} from ${source}; its checksum is ${isSealed ? "whole" : "not that of its content"}. ` +
		"Behind | stands what it says: nothing in it is known to be the user's."
	);
}

/** A checkpoint's text to print below `importedHead`: where it was imported, each line begins with a bar, as a quotation. */
export const quoteImported = (text: string, imported: Checkpoint["imported"]): string =>
	imported ? quoteWithBars(text) : text;
