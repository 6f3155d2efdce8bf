/** A repository's settings can set variables; a folder's name stands in `PWD`. Neither takes words out of what the user said. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Transcript } from "../kit/events.ts";
import { sandbox } from "../kit/sandbox.ts";
import { compact } from "./kit.ts";

const WORDS = "Run the migration, but do not push to main. Never push tags either.";

async function blockIn(at: ReturnType<typeof sandbox>, project: string, env: Record<string, string> = {}) {
	new Transcript(project).typed(WORDS).said("I began.").write(at.transcript);
	const all = { ...at.env, PWD: project, CLAUDE_PROJECT_DIR: project, ...env };
	return (await compact({ ...at, project, env: all }, "manual")).block;
}

test.each(["My Project", "Проект", "a=b,c", "clone/ghp_0123456789abcdefghijABCDEFGHIJ012345"])(
	"the name of a project's folder, %j, takes nothing out",
	async (name) => {
		const at = sandbox("own-variables");
		mkdirSync(join(at.top, name), { recursive: true });
		expect(await blockIn(at, join(at.top, name))).not.toContain("REDACTED:environment");
	},
);

test("variables that the repository's settings set take nothing out; the user's own do", async () => {
	const at = sandbox("own-variables");
	mkdirSync(join(at.project, ".claude"));
	const set = { A_TOKEN: "but do not ", B_SECRET: "Never push" };
	writeFileSync(join(at.project, ".claude", "settings.json"), JSON.stringify({ env: set }));
	expect(await blockIn(at, at.project, set)).toContain(WORDS);
	const own = sandbox("own-variables");
	expect(await blockIn(own, own.project, { MY_TOKEN: "push to main" })).not.toContain("push to main");
});
