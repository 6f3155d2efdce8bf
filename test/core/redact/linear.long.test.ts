import { describe, expect, test } from "vitest";
import { expandParts } from "../../../src/core/redact/patterns.ts";
import phrases from "../../../src/core/redact/phrases.json";
import { TOKEN_FORMS } from "../../../src/core/redact/tokens.ts";
import { worstTexts } from "../../security/linear-worst.ts";
import { expectLinear, msOf, sized } from "./time.ts";

const head = (row: string): string =>
	row.replace(/^.*@(\w+).*$/s, (_, list: string) => phrases.hints[list as "login"]).split("|")[0]!;
const ROWS: [name: string, hint: string, forms: string[]][] = [
	...Object.entries(phrases.rows).flatMap(([judge, rows]) =>
		rows.map((row, i): [string, string, string[]] => {
			const [hints, forms] = row.split(" => ") as [string, string];
			return [`${judge} ${i}`, head(hints.replace(/ ?[~!]$/, "")), forms.split(" >> ")];
		}),
	),
	...Object.entries(phrases.ways).map(([name, [, , lead, value]]): [string, string, string[]] => [
		name,
		"password",
		[lead! + value],
	]),
	...TOKEN_FORMS().map(({ kind, form }): [string, string, string[]] => [kind, "", [form]]),
];

describe("rows of the data, on texts made of their own parts", () => {
	test.each(ROWS)("%s", { retry: 1 }, (_, hint, forms) => {
		let worst = { unit: "", ms: 0 };
		for (const form of forms)
			for (const text of worstTexts(expandParts(form), "i", 300)) {
				const unit = hint + text;
				const ms = msOf(sized(unit, 4_096));
				expect(ms, unit).toBeLessThan(150);
				if (ms > worst.ms) worst = { unit, ms };
			}
		expectLinear(worst.unit || "x");
	});
});
