import { expect, test } from "vitest";
import { figures, grown, held } from "../scripts/size.ts";

test("the house is no larger than scripts/size.json holds, and a larger one is told", async () => {
	const now = await figures();
	expect(grown(now, held())).toEqual([]);
	expect(grown({ ...now, commands: now.commands! + 1 }, { figures: { commands: { held: now.commands! } } })).toContain(
		`commands: ${now.commands! + 1}, held are ${now.commands}`,
	);
});
