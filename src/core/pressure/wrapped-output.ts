import type { PartName } from "./status-format.ts";
import type { StatusFacts } from "./status-parts.ts";

/** Which of ccg's parts the wrapped status line shows already: the model by its name, the tokens by a number near to them. */
export function shownAbove(output: string, { modelName, pressure }: StatusFacts): PartName[] {
	const text = output.slice(0, 4_096).replace(CODES, "");
	const parts: PartName[] = [];
	if (modelName && text.toLowerCase().includes(modelName.toLowerCase())) parts.push("model");
	const tokens = pressure?.tokens ?? null;
	if (tokens !== null && tokens > 0 && numbersIn(text).some((one) => Math.abs(one - tokens) <= tokens * 0.02))
		parts.push("tokens");
	return parts;
}

/** Numbers as status lines write tokens: `131.2k`, `0.13M`, `131,204`. */
function numbersIn(text: string): number[] {
	return [...text.matchAll(/(?<![\w.,])(?:(\d+(?:\.\d+)?) ?([km])|(\d{1,3}(?:,\d{3})+))(?!\w)/gi)].map(
		([, digits, unit, grouped]) =>
			grouped
				? Number(grouped.replaceAll(",", ""))
				: Number(digits) * (unit!.toLowerCase() === "k" ? 1_000 : 1_000_000),
	);
}

const CODES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;
