import type { Fate, LossReport } from "../../core/audit/audit.ts";
import { oneLine } from "../../core/text/text.ts";
import type { Io } from "../support/io.ts";

const STANDS = {
	whole: ["✓ ccg: injected", "green"],
	part: ["✓ ccg: injected in part", "green"],
	neither: ["✗ ccg: not injected; ccg recall finds it", "red"],
} as const;

/** What the user said, each time followed by where it stands now: texts, and how their lines are coloured once they are fitted. */
export const describeFates = (messages: LossReport["messages"], c: Io["colours"]) =>
	messages.map(({ text, fate }) => [{ text: `"${oneLine(text)}"`, paint: String }, ...describeFate(fate, c)]);

function describeFate(fate: Fate, c: Io["colours"]) {
	if (fate === "summary") return [{ text: "  ✓ in the summary", paint: c.dim }];
	const [text, colour] = STANDS[fate];
	return [
		{ text: "  ✗ not word for word in the summary", paint: c.red },
		{ text: `  ${text}`, paint: c[colour] },
	];
}
