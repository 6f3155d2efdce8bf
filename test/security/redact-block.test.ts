import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeSandbox } from "../../src/doctor/sandbox.ts";
import { Transcript } from "../kit/events.ts";
import { hook, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";
import { compact } from "./kit.ts";

const TOKEN = `ghp_${["aB3dE6gH9jK2", "mN5pQ8sT1vW4", "xY7zA0cD3fG6"].join("")}`;
const begun = (at: Sandbox) => new Transcript(at.project).typed("Always run the tests. Look at the service.");

/** The block of a session whose record is up to date: nothing of it is read anew. */
async function blockOf(at: Sandbox, session = begun(at)): Promise<string> {
	session.typed("go on with the service").said("I will.").write(at.transcript);
	await hook(at, "stop", { hook_event_name: "Stop" });
	const { block } = await compact(at, "manual");
	expect(block).toContain("ccg recovery");
	return block;
}

test("the name of the project's folder, and of the store's", async () => {
	expect(await blockOf(makeSandbox(scratch("named"), { name: TOKEN }))).not.toContain(TOKEN);
	const at = sandbox("stored");
	const HOME = join(at.top, TOKEN);
	mkdirSync(HOME);
	expect(await blockOf({ ...at, env: { ...at.env, HOME } })).not.toContain(TOKEN);
});

test.each(["password:", "The DB password is", "Authorization: Bearer", "пароль:"])(
	"%s, and the secret on the next line, where the block has one line",
	async (name) => {
		const at = sandbox("lines");
		const secret = ["Falcon", "22-under-the-sea"].join("#");
		const told = `${name}\n${secret}`;
		const session = begun(at)
			.typed(`Always remember. ${told}`)
			.answered("What is it?", told)
			.rejected("Bash", { command: `echo ${name}` }, secret)
			.todos([told, "in_progress"])
			.said(`I found the cause. ${told}`);
		expect(await blockOf(at, session)).not.toContain(secret);
	},
);
