import type { Fate, LossReport } from "../../core/audit/audit.ts";
import { oneLine } from "../../core/text/text.ts";
import type { Io } from "../support/io.ts";

/** A text, and how its lines are coloured once they are fitted. */
interface Painted {
	text: string;
	paint?: (line: string) => string;
}

/** What the user said, each time followed by where it stands now. */
export const describeFates = (messages: LossReport["messages"], c: Io["colours"]): Painted[][] =>
	messages.map(({ text, fate }) => [{ text: `"${oneLine(text)}"` }, ...STANDS[fate](c)]);

const STANDS: Record<Fate, (c: Io["colours"]) => Painted[]> = {
	summary: (c) => [{ text: "  ✓ in the summary", paint: c.dim }],
	whole: (c) => [missing(c), { text: "  ✓ ccg: injected", paint: c.green }],
	part: (c) => [missing(c), { text: "  ✓ ccg: injected in part", paint: c.green }],
	neither: (c) => [missing(c), { text: "  ✗ ccg: not injected; ccg recall finds it", paint: c.red }],
};
const missing = (c: Io["colours"]): Painted => ({ text: "  ✗ not word for word in the summary", paint: c.red });
