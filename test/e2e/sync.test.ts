import { mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { gitIn } from "../kit/git.ts";
import { LAUNCHER } from "../kit/sandbox.ts";
import { type Home, homeAt, joins } from "../kit/sync-commands.ts";
import { bash, claudeSandbox, everything, logged } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";

/** Three machines share what lies at a place; on the first one Claude Code runs. */
async function play(place: (base: string) => string): Promise<void> {
	const made = claudeSandbox(
		playing([
			{ text: "I know.", tokens: 20_000 },
			{ tools: [bash(`${LAUNCHER} memory save "deploys need the staging key"`)], tokens: 21_000 },
			{ text: "Saved.", tokens: 22_000 },
			{ text: "What about it?", tokens: 23_000 },
			{ text: "I know that too.", tokens: 24_000 },
		]),
	);
	const base = dirname(made.home);
	const here = homeAt(base, basename(made.home), made.project);
	const [bob, cid] = ["bob", "cid"].map((name) => homeAt(base, name)) as [Home, Home];
	await here.init(place(base));
	for (const other of [bob, cid]) await joins(here, other);
	const says = async (other: Home, text: string): Promise<void> => {
		await other.ccg("memory", "save", text);
		expect(await other.ccg("sync", "now")).toMatchObject({ code: 0 });
	};
	await says(bob, "the relay listens on port 4711");
	await here.ccg("sync", "now");

	await made.claude("Which port?");
	const first = everything(made.main()[0]!);
	expect(first).toMatch(/bob on [^\n]*: the relay listens on port 4711/);
	expect(first).toContain("From other machines");

	// the end of the turn sends what the agent saved, in a process that nobody waits for
	await made.claude("Save what deploys need.");
	for (const other of [bob, cid])
		await until(async () => {
			await other.ccg("sync", "now");
			return /: deploys need the staging key/.test(other.shared());
		});

	// what the pull brings that the start began, the next prompt tells at the latest
	await says(cid, "the cache lives in Redis");
	const terminal = made.terminal();
	await terminal.shows("not measured yet");
	await terminal.say("Is there a cache?", "What about it?");
	await until(async () => here.shared(basename(made.project)).includes("the cache lives in Redis"));
	await terminal.say("And what is it?", "I know that too.");
	const last = everything(made.main().at(-1)!);
	expect(last).toMatch(/cid on [^\n]*: the cache lives in Redis/);
	expect(last.split("lives in Redis")).toHaveLength(2);
	expect(logged(made)).toBe("");
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
	for (let tries = 0; tries < 40; tries++) {
		if (await isSo().catch(() => false)) return;
		await Bun.sleep(250);
	}
	throw new Error(`this never became so: ${isSo}`);
}

const TITLE = "a note of one machine is told on the other, what an agent saves comes back, what comes later is told";

test(`${TITLE}: by a folder`, () =>
	play((base) => {
		mkdirSync(join(base, "shared"));
		return join(base, "shared");
	}));

test(`${TITLE}: by a git repository`, () =>
	play((base) => {
		const far = join(base, "far.git");
		gitIn(base, base, ["init", "-q", "--bare", far]);
		return `git:${far}`;
	}));
