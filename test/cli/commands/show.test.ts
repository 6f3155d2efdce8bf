import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import { registerShow } from "../../../src/cli/commands/show.ts";
import { emptyState } from "../../../src/core/state/session-state.ts";
import { postToolBatch } from "../../../src/events/post-tool-batch.ts";
import { loadConfig } from "../../../src/store/config/config.ts";
import { checkpointPath, saveCheckpoint, writeReadable } from "../../../src/store/recovery/checkpoints.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { Transcript } from "../../kit/events.ts";
import { recordedIo } from "../../kit/recorded-io.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

function world(env?: Record<string, string>) {
	const home = scratch("show");
	const store = join(home, ".claude-memory");
	const project = join(home, "project");
	mkdirSync(project);
	const ccg = async (...args: string[]): Promise<string> => {
		const { io, out } = recordedIo({ env: env ?? { HOME: home }, cwd: project, launcher: "/opt/ccg/bin/ccg" });
		const program = new Command("ccg").exitOverride().configureOutput({ writeErr: () => {} });
		// an option's parser fails with the command's own settings
		registerShow(program, io);
		for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => {} });
		await program.parseAsync(["show", ...args], { from: "user" });
		return out.join("\n");
	};
	/** A session that a hook has measured. */
	const measured = (sid: string, transcript: Transcript, ageMs = 0): string => {
		const path = transcript.usage(50_000).write(join(home, `${sid}.jsonl`));
		postToolBatch(
			{ session_id: sid, transcript_path: path, cwd: project },
			{
				env: { HOME: home },
				root: store,
				config: loadConfig(store).config,
				now: new Date(Date.now() - ageMs),
				launcher: "/opt/ccg/bin/ccg",
				log: () => {},
				tell: () => {},
			},
		);
		return path;
	};
	return { home, store, project, ccg, measured };
}

function long(project: string): Transcript {
	const transcript = new Transcript(project);
	for (let i = 0; i < 200; i++) transcript.typed(`Never do thing number ${i}. ${"Details. ".repeat(i % 30)}`);
	return transcript.typed("Now finish the release notes.");
}

test("the session seen last, or the one that is named", async () => {
	const { ccg, measured, project } = world();
	measured("s-1", new Transcript(project).typed("Build the cart. Never touch src/legacy."), 60_000);
	measured("s-2", new Transcript(project).typed("Write the docs."));
	expect(await ccg()).toMatch(/^ccg recovery \(not saved\): [\s\S]*> Write the docs\./);
	expect(await ccg("--session", "s-1")).toContain("> Build the cart. Never touch src/legacy.");
});

test("a transcript file, without any store", async () => {
	const { home, project, ccg } = world();
	const path = new Transcript(project).typed("Build the cart.").write(join(home, "t.jsonl"));
	expect(await ccg("--transcript", path)).toContain("> Build the cart.");
	expect(await world({}).ccg("--transcript", path)).toContain("> Build the cart.");
});

test.each([
	["1", null],
	["2", "one"],
	["3", "two"],
	["4", "three"],
	["99", "three"],
])("--at %s: what stood before that line", async (line, request) => {
	const { home, project, ccg } = world();
	const transcript = new Transcript(project).typed("Do one.").typed("Do two.").typed("Do three, with größe.");
	const text = await ccg("--transcript", transcript.write(join(home, "t.jsonl")), "--at", line);
	const asked = /Request at hand.*\n> Do (\w+)/.exec(text)?.[1] ?? null;
	expect(asked).toBe(request);
});

test.each([
	["500", 500],
	["2000", 2_000],
	["9500", 9_500],
])("--budget %s keeps to %d characters and holds the request", async (budget, most) => {
	const { home, project, ccg } = world();
	const path = long(project).write(join(home, "t.jsonl"));
	const text = await ccg("--transcript", path, "--budget", budget);
	expect(text.length).toBeLessThanOrEqual(most);
	expect(text).toContain("Now finish the release notes.");
});

test("without --budget the configuration's", async () => {
	const { home, store, project, ccg } = world();
	const path = long(project).write(join(home, "t.jsonl"));
	const usual = (await ccg("--transcript", path)).length;
	expect(usual).toBeGreaterThan(4_000);
	expect(usual).toBeLessThanOrEqual(19_000);
	mkdirSync(store, { recursive: true });
	writeFileSync(join(store, "config.json"), '{"recovery":{"maxChars":1500}}');
	expect((await ccg("--transcript", path)).length).toBeLessThanOrEqual(1_500);
});

test("the newest session that has a transcript, also when a newer one has none or lost it", async () => {
	const { store, project, ccg, measured } = world();
	measured("s-1", new Transcript(project).typed("Build the cart."), 60_000);
	rmSync(measured("s-2", new Transcript(project).typed("Write the docs.")));
	mkdirSync(join(store, "sessions", "s-3"));
	expect(await ccg()).toContain("> Build the cart.");
});

test("a session by the beginning of its id", async () => {
	const { project, ccg, measured } = world();
	measured("aaaa-1", new Transcript(project).typed("Build the cart."));
	measured("aabb-1", new Transcript(project).typed("Write the docs."));
	expect(await ccg("--session", "aaa")).toContain("> Build the cart.");
	await expect(ccg("--session", "aa")).rejects.toThrow("'aa' is the beginning of 2 sessions");
});

test.each([
	["--budget", "499", "it must be a whole number from 500 to 19000"],
	["--budget", "99999", "it must be a whole number from 500 to 19000"],
	["--budget", "much", "it must be a whole number"],
	["--at", "0", "it must be a whole number of 1 or more"],
	["--at", "-1", "it must be a whole number"],
])("%s %s is refused", async (option, value, message) => {
	await expect(world().ccg("--transcript", "any", option, value)).rejects.toThrow(message);
});

test.each([
	["no transcript at all", "root:x:0:0:root\nbin:x:1:1:bin\n", []],
	["no transcript at all, before a line of it", "root:x:0:0:root\nbin:x:1:1:bin\n", ["--at", "2"]],
	["empty", "", []],
])("a file that is %s holds no line of a transcript", async (_, text, args) => {
	const { home, ccg } = world();
	const path = join(home, "t.jsonl");
	writeFileSync(path, text);
	await expect(ccg("--transcript", path, ...args)).rejects.toThrow(`no line of a transcript was found in ${path}`);
});

test("a file that is written with spaces is read", async () => {
	const { home, ccg } = world();
	const path = join(home, "t.jsonl");
	writeFileSync(path, '{"type": "user", "message": {"role": "user", "content": "Build the cart."}}\n');
	expect(await ccg("--transcript", path)).toContain("> Build the cart.");
});

test("errors name what is missing", async () => {
	const { home, store, project, ccg } = world();
	await expect(ccg()).rejects.toThrow(`no session in ${store} yet`);
	await expect(ccg("--session", "s-9")).rejects.toThrow(`no session 's-9' in ${store}`);
	await expect(ccg("--session", "../s-9")).rejects.toThrow("no session '../s-9'");
	await expect(world({}).ccg()).rejects.toThrow("name a file with --transcript");
	const gone = join(home, "gone.jsonl");
	for (const args of [[], ["--at", "3"]])
		await expect(ccg("--transcript", gone, ...args)).rejects.toThrow(
			`the transcript ${gone} can't be read: there is no such file; give --transcript the path of a .jsonl file`,
		);
	await expect(ccg("--transcript", project)).rejects.toThrow(`transcript ${project} is not a regular file`);
	mkdirSync(join(store, "sessions", "s-0"), { recursive: true });
	await expect(ccg()).rejects.toThrow(`of the one session in ${store} no transcript is known`);
	await expect(ccg("--session", "s-0")).rejects.toThrow("of session s-0 no transcript is known");
});

test("a transcript that was deleted is told, with the checkpoint where there is one", async () => {
	const { store, project, ccg, measured } = world();
	const path = measured("s-1", new Transcript(project).typed("Build the cart."));
	rmSync(path);
	const gone = `the transcript of session s-1, ${path}, can't be read: there is no such file`;
	await expect(ccg()).rejects.toThrow(`${gone}; there is no checkpoint of it either`);
	const checkpoint = saveCheckpoint(sessionAt(storeAt(store), "s-1"), new Date(), {
		trigger: "auto",
		projectDir: project,
		transcriptPath: path,
		state: emptyState(),
		workspace: null,
	});
	await expect(ccg("--session", "s-1")).rejects.toThrow(`${gone}; its last checkpoint is ${join(store, "sessions")}`);
	writeReadable(sessionAt(storeAt(store), "s-1"), checkpoint);
	await expect(ccg("--session", "s-1")).rejects.toThrow(
		`${gone}; its last checkpoint is ${checkpointPath(sessionAt(storeAt(store), "s-1"), checkpoint.key)}`,
	);
});
