/** What the block of a compaction must not hold, and what nothing may take out of it. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Transcript } from "../kit/events.ts";
import { type Sandbox, sandbox } from "../kit/sandbox.ts";
import { compact, play, put } from "./kit.ts";

const TOKEN = `ghp_${["aB3dE6gH9jK2", "mN5pQ8sT1vW4", "xY7zA0cD3fG6"].join("")}`;
const WORDS = "Run the migration, but do not push to main. Never push tags either.";
const spoken = (at: Sandbox) => new Transcript(at.project).typed(WORDS);

/** The block of a session whose record is up to date: nothing of it is read anew. */
async function blockOf(at: Sandbox, session = spoken(at)): Promise<string> {
	session.typed("go on with the service").said("I will.").write(at.transcript);
	await play(at, "stop");
	return (await compact(at, "manual")).block;
}

/** The same sandbox whose project is in another folder, or whose environment holds more. */
function changed(at: Sandbox, { name = "project", env = {} }): Sandbox {
	const project = join(at.top, name);
	mkdirSync(project, { recursive: true });
	return { ...at, project, env: { ...at.env, PWD: project, CLAUDE_PROJECT_DIR: project, ...env } };
}

test.each(["My Project", "Проект", "a=b,c", `clone/${TOKEN}`])(
	"the name of the project's folder, %j: a secret goes, and nothing goes for it",
	async (name) => {
		const block = await blockOf(changed(sandbox(), { name }));
		expect(block).toContain(WORDS);
		expect(block).not.toMatch(/ghp_|REDACTED:environment/);
	},
);

test("a secret in the name of the store's folder", async () => {
	const at = sandbox();
	const HOME = join(at.top, TOKEN);
	mkdirSync(HOME);
	const block = await blockOf(changed(at, { env: { HOME } }));
	expect(block).toContain(WORDS);
	expect(block).not.toContain(TOKEN);
});

test("variables that the repository's settings set take nothing out; the user's own do", async () => {
	const set = { A_TOKEN: "but do not ", B_SECRET: "Never push" };
	const [theirs, own] = [sandbox(), sandbox()];
	put(join(theirs.project, ".claude", "settings.json"), JSON.stringify({ env: set }));
	expect(await blockOf(changed(theirs, { env: set }))).toContain(WORDS);
	expect(await blockOf(changed(own, { env: { MY_TOKEN: "push to main" } }))).not.toContain("push to main");
});

test.each(["password:", "The DB password is", "Authorization: Bearer", "пароль:"])(
	"%s, and the secret on the next line, where the block has one line",
	async (name) => {
		const at = sandbox();
		const secret = ["Falcon", "22-under-the-sea"].join("#");
		const told = `${name}\n${secret}`;
		const session = spoken(at)
			.typed(`Always remember. ${told}`)
			.answered("What is it?", told)
			.rejected("Bash", { command: `echo ${name}` }, secret)
			.todos([told, "in_progress"])
			.said(`I found the cause. ${told}`);
		const block = await blockOf(at, session);
		expect(block).toContain("ccg recovery");
		expect(block).not.toContain(secret);
	},
);
