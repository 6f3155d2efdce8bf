import type { Kind } from "../../core/recovery/item.ts";
import type { KindLoss } from "../../core/recovery/loss-report.ts";
import { verdict } from "../../core/recovery/loss-verdict.ts";
import { foreign, quotedName } from "../../core/text/quoted.ts";
import { grouped } from "../../core/text/text.ts";
import { moment } from "../support/layout/moment.ts";
import { bare, fateOf, lostLines, SHOWN } from "./print.ts";
import type { ShownReport } from "./shown.ts";

/** The same for a reader of Markdown, as a slash command shows it: the lost first, then all of it in numbers. */
export function reportMarkdown(reports: readonly ShownReport[]): string {
	const lines = [`**${verdict(reports)}**`];
	for (const one of reports) {
		const where = one.project ? `${quotedName(one.project)}, ` : "";
		const trigger = /^\w{1,20}$/.test(one.trigger) ? one.trigger : "unknown";
		lines.push("", `### ${where}${moment(one.at)}, ${trigger} compaction`, "");
		if (reports.length > 1) lines.push(verdict([one]), "");
		const told = lostLines(one);
		for (const line of told.slice(0, SHOWN * 2))
			lines.push(`- ${fateOf(line)}${line.kind === "message" ? "" : ` (${line.kind})`}: ${foreign(bare(line.text))}`);
		if (told.length > SHOWN * 2) lines.push(`- ${told.length - SHOWN * 2} more: \`ccg report --json\` has them`);
		for (const { sentence, finding, about } of one.claims)
			lines.push(
				`- the summary says ${foreign(sentence)}: ${about === "deed" ? finding : "no word of the user's says so"}`,
			);
		lines.push("", "| | all | word for word | reworded | back | to come | lost |", "|---|---|---|---|---|---|---|");
		for (const [kind, { total, verbatim, reworded, dropped, droppedBack, later }] of Object.entries(one.kinds) as [
			Kind,
			KindLoss,
		][])
			lines.push(
				`| ${[kind, total, verbatim, reworded, droppedBack - later, later, dropped - droppedBack].join(" | ")} |`,
			);
		lines.push(
			"",
			`Injected: ${grouped(one.injectedChars.block + one.injectedChars.followUp)} characters. Session ${one.session}.`,
		);
	}
	return lines.join("\n");
}
