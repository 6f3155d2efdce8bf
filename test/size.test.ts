import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aboveGoal, figures, goals } from "../scripts/size.ts";
import { REPO } from "./kit/sandbox.ts";

test("each room has its goal, and what is above is told", async () => {
	const rooms = Object.keys(goals()).flatMap((name) => name.split(", "));
	expect(rooms).toEqual(expect.arrayContaining(readdirSync(join(REPO, "src")).filter((name) => !name.includes("."))));
	expect(aboveGoal({ ...(await figures()), commands: 35 })).toContain("commands: 35, the goal is 34");
});
