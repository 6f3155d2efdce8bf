import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import pc from "picocolors";
import { expect, test } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { registerShow } from "../../src/cli/show.ts";
import { usage } from "../../src/events/usage.ts";
import { loadConfig } from "../../src/store/config.ts";
import { Transcript } from "../events/transcript-builder.ts";
import { scratch } from "../scratch-home.ts";

function world(env?: Record<string, string>) {
	const home = scratch("show");
	const store = join(home, ".claude-memory");
	const project = join(home, "project");
	mkdirSync(project);
	const ccg = async (...args: string[]): Promise<string> => {
		const lines: string[] = [];
		const io: Io = {
			env: env ?? { HOME: home },
			cwd: project,
			launcher: "/opt/ccg/bin/ccg",
			interactive: false,
			colours: pc.createColors(false),
			out: (line) => lines.push(line),
			err: () => {},
			exit: () => {},
		};
		const program = new Command("ccg").exitOverride().configureOutput({ writeErr: () => {} });
		// an option's parser fails with the command's own settings
		registerShow(program, io);
		for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => {} });
		await program.parseAsync(["show", ...args], { from: "user" });
		return lines.join("\n");
	};
	/** A session that a hook has measured. */
	const measured = (sid: string, transcript: Transcript, ageMs = 0): string => {
		const path = transcript.usage(50_000).write(join(home, `${sid}.jsonl`));
		usage(
			{ session_id: sid, transcript_path: path, cwd: project },
			{
				env: { HOME: home },
				root: store,
				config: loadConfig(store).config,
				now: new Date(Date.now() - ageMs),
				launcher: "/opt/ccg/bin/ccg",
				log: () => {},
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
	["1", 500],
	["2000", 2_000],
	["9500", 9_500],
	["1000000", 9_500],
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
	expect(usual).toBeLessThanOrEqual(9_000);
	mkdirSync(store, { recursive: true });
	writeFileSync(join(store, "config.json"), '{"recovery":{"maxChars":1500}}');
	expect((await ccg("--transcript", path)).length).toBeLessThanOrEqual(1_500);
});

test("errors name what is missing", async () => {
	const { home, store, project, ccg, measured } = world();
	await expect(ccg()).rejects.toThrow(
		`no session in ${store}; 'ccg status --all' lists those known, --transcript names a file`,
	);
	await expect(ccg("--session", "s-9")).rejects.toThrow(`no session s-9 in ${store}`);
	await expect(ccg("--session", "../s-9")).rejects.toThrow("no session ../s-9");
	await expect(world({}).ccg()).rejects.toThrow("name a file with --transcript");
	await expect(ccg("--transcript", join(home, "gone.jsonl"))).rejects.toThrow(join(home, "gone.jsonl"));
	await expect(ccg("--transcript", join(home, "gone.jsonl"), "--at", "3")).rejects.toThrow(join(home, "gone.jsonl"));
	await expect(ccg("--transcript", project)).rejects.toThrow(project);
	await expect(ccg("--budget", "much")).rejects.toThrow("it must be a whole number");
	await expect(ccg("--at", "-1")).rejects.toThrow("it must be a whole number");
	const path = measured("s-1", new Transcript(project).typed("Build the cart."));
	rmSync(path);
	await expect(ccg("--session", "s-1")).rejects.toThrow(path);
});
