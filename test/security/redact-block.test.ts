import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeSandbox } from "../../src/doctor/sandbox.ts";
import { Transcript } from "../kit/events.ts";
import { hook, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

/** The block of a session whose record is up to date: nothing of it is read anew. */
async function blockOf(at: Sandbox, session: Transcript, env: Record<string, string> = {}): Promise<string> {
	writeFileSync(at.transcript, session.typed("go on with the service").said("I will.").text());
	await hook(at, "stop", { hook_event_name: "Stop" }, { env });
	await hook(at, "pre-compact", { hook_event_name: "PreCompact", trigger: "manual" }, { env });
	const { out } = await hook(at, "session-start", { hook_event_name: "SessionStart", source: "compact" }, { env });
	expect(out).toContain("ccg recovery");
	return out;
}

const TOKEN = `ghp_${["aB3dE6gH9jK2", "mN5pQ8sT1vW4", "xY7zA0cD3fG6"].join("")}`;
const begun = (at: Sandbox) => new Transcript(at.project).typed("Always run the tests. Look at the service.");

test("the name of the project's folder", async () => {
	const at = makeSandbox(scratch("named"), { name: TOKEN });
	expect(await blockOf(at, begun(at))).not.toContain(TOKEN);
});

test("the store's path, and the command that names it", async () => {
	const at = sandbox("stored");
	const env = { HOME: join(at.top, TOKEN) };
	mkdirSync(env.HOME);
	expect(await blockOf(at, begun(at), env)).not.toContain(TOKEN);
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
