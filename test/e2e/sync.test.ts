import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSql } from "../../src/sync/postgres.ts";
import { gitIn } from "../kit/git.ts";
import { postgresServer } from "../kit/postgres.ts";
import { LAUNCHER } from "../kit/sandbox.ts";
import { type Home, homeAt, joins } from "../kit/sync-commands.ts";
import { canRun } from "../kit/with-programs.ts";
import { claudeSandbox, everything, logged } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";
import { bash } from "./replies.ts";

/** Three machines share what lies at a place, each by its own address; on the first two Claude Code runs. */
async function play(place: (base: string, homes: Home[]) => string | string[]): Promise<void> {
	const save = `${LAUNCHER} memory save "deploys need the staging key" && ${LAUNCHER} checkpoint save`;
	const made = claudeSandbox(
		playing([
			{ text: "I know.", tokens: 20_000 },
			{ tools: [bash(save)], tokens: 21_000 },
			{ text: "Saved.", tokens: 22_000 },
			{ text: "What about it?", tokens: 23_000 },
			{ text: "I know that too.", tokens: 24_000 },
		]),
		{ name: "app" },
	);
	const bobs = claudeSandbox(playing([{ text: "I go on with it.", tokens: 20_000 }]), { name: "app" });
	const base = dirname(made.home);
	const here = homeAt(base, basename(made.home), made.project);
	const bob = homeAt(dirname(bobs.home), basename(bobs.home), bobs.project, "bob");
	const cid = homeAt(base, "cid");
	const [first, ...others] = [place(base, [here, bob, cid])].flat();
	await here.init(first!);
	for (const [i, other] of [bob, cid].entries()) await joins(here, other, others[i]);
	const says = async (other: Home, text: string): Promise<void> => {
		await other.ccg("memory", "save", text);
		expect(await other.ccg("sync", "now")).toMatchObject({ code: 0 });
	};
	await says(bob, "the relay listens on port 4711");
	await here.ccg("sync", "now");

	await made.claude("Which port?");
	const start = everything(made.main()[0]!);
	expect(start).toMatch(/bob on [^\n]*: the relay listens on port 4711/);
	expect(start).toContain("From other machines");

	// the end of the turn sends what the agent saved, in a process that nobody waits for
	await made.claude("Save what deploys need.");
	for (const other of [bob, cid])
		await until(async () => {
			await other.ccg("sync", "now");
			return /: deploys need the staging key/.test(other.shared());
		});
	// the session that was left here goes on there
	await until(async () => {
		await bob.ccg("sync", "now");
		return (await bob.ccg("checkpoint", "restore", "--next")).code === 0;
	});
	await bobs.claude("Go on.");
	const there = everything(bobs.main()[0]!);
	expect(there).toMatch(/home on [^\n]*: deploys need the staging key/);
	expect(there).toContain("Save what deploys need.");

	// what the pull brings that the start began, the next prompt tells at the latest
	await says(cid, "the cache lives in Redis");
	const terminal = made.terminal();
	await terminal.shows("not measured yet");
	await terminal.say("Is there a cache?", "What about it?");
	await until(async () => here.shared().includes("the cache lives in Redis"));
	await terminal.say("And what is it?", "I know that too.");
	const last = everything(made.main().at(-1)!);
	expect(last).toMatch(/cid on [^\n]*: the cache lives in Redis/);
	expect(last.split("lives in Redis")).toHaveLength(2);
	expect(logged(made) + logged(bobs)).toBe("");
}

const until = (isSo: () => Promise<boolean>) => expect.poll(isSo, { timeout: 15_000, interval: 250 }).toBe(true);

const TITLE =
	"a note of one machine is told on the other, a session left on one goes on there, what comes later is told";

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

test.skipIf(!canRun("postgres"))(`${TITLE}: by PostgreSQL`, async () => {
	const { folder, port, sql, end } = await postgresServer();
	onTestFinished(end);
	const logins = ["boss", "bob", "cid"];
	const addressOf = (login: string): string => `postgres://${login}@${encodeURIComponent(folder)}:${port}/team`;
	await sql("CREATE ROLE bob LOGIN PASSWORD 'boss-1'; CREATE ROLE cid LOGIN PASSWORD 'boss-1'");
	await sql(`SET ROLE boss; ${createSql(addressOf("boss"))}; GRANT ccg_team TO bob, cid`, "team");
	await play((_, homes) => {
		for (const { home } of homes) writeFileSync(join(home, ".pgpass"), "*:*:*:*:boss-1\n", { mode: 0o600 });
		return logins.map(addressOf);
	});
});
