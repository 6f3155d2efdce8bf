import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import pc from "picocolors";
import { describe, expect, test } from "vitest";
import { registerApprovals } from "../../../src/cli/commands/approvals.ts";
import { registerEnv } from "../../../src/cli/commands/env.ts";
import { registerProfile } from "../../../src/cli/commands/profile.ts";
import { registerSessions } from "../../../src/cli/commands/sessions.ts";
import type { Io } from "../../../src/cli/support/io.ts";
import { moment } from "../../../src/cli/support/layout/moment.ts";
import { updateSession } from "../../../src/events/steps/update-session.ts";
import { loadConfig } from "../../../src/store/config/config.ts";
import { sessionPaths } from "../../../src/store/paths.ts";
import { readRecords } from "../../../src/store/session/event-log.ts";
import { loadSnapshot, updateSnapshot } from "../../../src/store/session/session-snapshot.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { Transcript } from "../../events/transcript-builder.ts";
import { scratch } from "../../scratch-home.ts";

const NOW = new Date("2026-03-01T10:00:00Z");
const SID = "0c0ffee0-0000-4000-8000-000000000000";

/** A store with one session of some turns, and the commands on it. */
function place({ interactive = false, answer = true, messages = 3 } = {}) {
	const home = scratch("home");
	const cwd = scratch("work");
	const root = join(home, ".claude-memory");
	const env = { HOME: home };
	const transcript = new Transcript(cwd, new Date("2026-03-01T09:00:00Z"));
	for (let n = 0; n < messages; n++) transcript.typed(`message ${n}`);
	transcript
		.rejected("Bash", { command: "git push" }, "never")
		.answered("Tabs?", "yes")
		.todos(["parse", "completed"], ["print", "pending"]);
	const transcript_path = transcript.write(join(home, "t.jsonl"));
	const services = {
		env,
		root,
		config: loadConfig(root).config,
		now: NOW,
		launcher: "/c",
		log: (reason: unknown) => {
			throw reason;
		},
	};
	const config = { ...services.config, context: { ...services.config.context, historyEntries: 1_000 } };
	updateSession({ session_id: SID, transcript_path, cwd }, { ...services, config });
	let code = 0;
	const asked: string[] = [];
	const ccg = async (...args: string[]) => {
		const out: string[] = [];
		const err: string[] = [];
		const io: Io = {
			env,
			cwd,
			launcher: "/c",
			interactive,
			colours: pc.createColors(false),
			out: (line) => out.push(line),
			err: (line) => err.push(line),
			exit: (given) => {
				code = given;
			},
		};
		const program = new Command("ccg")
			.exitOverride()
			.configureOutput({ writeOut: (text) => out.push(text), writeErr: () => {} });
		const ask = async (question: string) => {
			asked.push(question);
			return answer;
		};
		registerSessions(program, io, { now: () => NOW, ask });
		registerApprovals(program, io, () => NOW);
		registerProfile(program, io, () => NOW);
		registerEnv(program, io);
		code = 0;
		await program.parseAsync(args, { from: "user" });
		return { out: out.join("\n"), err: err.join("\n"), code };
	};
	return { home, root, cwd, ccg, asked };
}
const json = async (run: Promise<{ out: string }>) => JSON.parse((await run).out);

describe("sessions", () => {
	test("list, show and export, for people and as JSON", async () => {
		const { ccg, cwd } = place();
		expect((await ccg("sessions", "list")).out).toContain(`${SID}  ${moment(NOW.toISOString())}, 6 entries`);
		expect(await json(ccg("sessions", "list", "--json"))).toMatchObject([
			{ session_id: SID, updated_at: NOW.toISOString(), entries: 6, tasks: 2, profile: "default", cwd },
		]);
		const { out } = await ccg("sessions", "show");
		for (const part of [
			"Plan (InProgress, 1 of 2 steps done)",
			"[Completed] parse",
			"[Pending] print",
			"Tabs? — yes",
			"user: message 2",
		])
			expect(out).toContain(part);
		expect(await json(ccg("sessions", "show", "0c0f", "--json"))).toMatchObject({ version: 1, session_id: SID });
		const exported = await json(ccg("sessions", "export", SID));
		expect(exported).toMatchObject({
			version: 1,
			session_id: SID,
			context: { session_id: SID },
			ledger_broken_lines: 0,
		});
		expect(exported.ledger.filter(({ kind }: { kind: string }) => kind === "message")).toHaveLength(6);
	});

	test("compact: a dry run writes nothing, the real one leaves its line in the ledger, a second finds nothing", async () => {
		const { ccg, root } = place({ messages: 60 });
		const dry = await json(ccg("sessions", "compact", "--dry-run", "--json"));
		expect(dry).toMatchObject({ dry_run: true, compacted: true, folded_entries: 20, kept_entries: 43 });
		expect(loadSnapshot(sessionAt(root, SID), NOW).recent_history).toHaveLength(63);
		expect((await ccg("sessions", "compact", "--dry-run")).out).toContain("Would fold 20 entries");
		expect((await ccg("sessions", "compact", "--session", "0c0")).out).toContain(
			`Folded 20 entries of ${SID}; 43 stay`,
		);
		expect(loadSnapshot(sessionAt(root, SID), NOW).recent_history).toHaveLength(43);
		expect(readRecords(sessionAt(root, SID)).records.at(-1)).toMatchObject({
			kind: "folded",
			entries: 20,
			first: dry.first_id,
			last: dry.last_id,
		});
		expect((await ccg("sessions", "compact")).out).toContain("Nothing to fold");
	});

	test.each([
		["without a terminal and --yes: no, with exit code 2", {}, [], true, 2],
		["with --yes: no question", {}, ["--yes"], false, 0],
		["asked and declined", { interactive: true, answer: false }, [], true, 0],
		["asked and confirmed", { interactive: true }, [], false, 0],
	])("delete %s", async (_, how, args, stays, code) => {
		const { ccg, root, asked } = place(how);
		expect((await ccg("sessions", "delete", "0c0ffee0", ...args)).code).toBe(code);
		expect(existsSync(sessionPaths(root, SID).folder)).toBe(stays);
		expect(asked).toHaveLength("interactive" in how ? 1 : 0);
	});

	test.each([["show"], ["export"], ["delete"], ["compact", "--session"]])(
		"%s of a session nobody knows",
		async (...args) => {
			await expect(place().ccg("sessions", ...args, "beef")).rejects.toThrow("no session 'beef' in");
		},
	);
	test("the beginning of two ids", async () => {
		const { ccg, root } = place();
		mkdirSync(join(root, "sessions", "0c0ffee1"), { recursive: true });
		await expect(ccg("sessions", "show", "0c0ffee")).rejects.toThrow("is the beginning of 2 sessions");
		await expect(ccg("sessions", "show", "0c0ffee1")).rejects.toThrow("has no context yet");
	});
	test("a path is no session", async () => {
		await expect(place().ccg("sessions", "delete", "../..", "--yes")).rejects.toThrow("no session '../..'");
	});
	test("a damaged context is told, the list goes on", async () => {
		const { ccg, root } = place();
		writeFileSync(sessionPaths(root, SID).state, '{"version":7}');
		expect((await ccg("sessions", "list")).out).toContain("newer ccg");
		await expect(ccg("sessions", "show")).rejects.toThrow("newer ccg");
		expect(await json(ccg("sessions", "export"))).toMatchObject({
			context: null,
			problem: expect.stringContaining("newer ccg"),
		});
	});
});

test("approvals: with time, tool and words, of all sessions or one", async () => {
	const { ccg } = place();
	const lines = (await ccg("approvals")).out.split("\n");
	expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}rejected {2}Bash: Bash git push — "never" {2}0c0ffee0/);
	expect(lines[1]).toMatch(/answer {2}AskUserQuestion: Tabs\? — "yes"/);
	expect(await json(ccg("approvals", "--session", "0c0f", "--json"))).toMatchObject([
		{
			kind: "rejected",
			tool: "Bash",
			words: "never",
			session_id: SID,
			timestamp: expect.stringMatching(/^2026-03-01T09:00:\d\d\.000Z$/),
		},
		{ kind: "answer", tool: "AskUserQuestion", words: "yes" },
	]);
	await expect(ccg("approvals", "--session", "beef")).rejects.toThrow("no session 'beef'");
});

describe("a store that can't be written: what failed, on which path, what to do", () => {
	const WHY = "can't be written (a file stands where a folder must be); make it writable for you, or set CCG_HOME";
	const NO_FOLDER = "can't be written (a part of the path is no folder); make it writable for you, or set CCG_HOME";
	/** Folders that the commands write to, as plain files: permissions do not stop who runs tests as root. */
	const blocked = (folder: string) => {
		const one = place({ messages: 60 });
		rmSync(join(one.root, folder), { recursive: true, force: true });
		writeFileSync(join(one.root, folder), "");
		return one;
	};
	test.each([
		[["sessions", "delete", "0c0f", "--yes"], `session ${SID} was not deleted`],
		[["sessions", "compact"], `session ${SID} was not compacted`],
		[["profile", "use", "quiet", "--session", SID], `the choice of quiet for session ${SID} was not kept`],
	])("%j", async (args, what) => {
		const { ccg, root } = blocked("run");
		const error = (await ccg(...args).catch((thrown: Error) => thrown)) as Error;
		expect(error.message.startsWith(`${what}: ${root}/run`)).toBe(true);
		expect([WHY, NO_FOLDER].some((end) => error.message.includes(end))).toBe(true);
	});
	test("a project's profile, without the temp file's name", async () => {
		const { ccg, root } = blocked("profiles");
		const error = (await ccg("profile", "use", "quiet").catch((thrown: Error) => thrown)) as Error;
		expect(error.message).toMatch(
			new RegExp(
				`^the choice of quiet for project \\S+ was not kept: ${root}/profiles(/\\.in-use)? can't be written \\(`,
			),
		);
	});
});

describe("called bare", () => {
	test.each(["sessions", "profile"])("%s lists", async (group) => {
		const { ccg } = place();
		expect(await ccg(group)).toEqual(await ccg(group, "list"));
		expect(await ccg(group, "--json")).toEqual(await ccg(group, "list", "--json"));
	});
	test.each(["sessions", "profile"])("%s with a word it does not know", async (group) => {
		await expect(place().ccg(group, "lst")).rejects.toThrow("unknown command 'lst'");
	});
});

test("tools beyond the first five are counted", async () => {
	const { ccg, root } = place();
	const by_tool = { Bash: 5, Read: 4, Edit: 3, Write: 2, Grep: 2, Glob: 1, Task: 1 };
	updateSnapshot(sessionAt(root, SID), NOW, (snapshot) => {
		snapshot.tool_stats = { total_calls: 18, by_tool, failures: 0 };
	});
	expect((await ccg("sessions", "show")).out).toContain(
		"18 calls, 0 failed (Bash 5, Read 4, Edit 3, Write 2, Grep 2, … 2 more of 2 other tools)",
	);
});

describe("profile", () => {
	test("use for the project, for a session, and back", async () => {
		const { ccg, root, cwd } = place();
		expect((await ccg("profile", "list")).out).toMatch(/^\* default/m);
		await ccg("profile", "use", "careful");
		expect((await ccg("profile", "list")).out).toMatch(/^\* careful/m);
		expect(loadConfig(root, { folder: cwd }).config.guard.mode).toBe("enforce");
		await ccg("profile", "use", "quiet", "--session", "0c0f");
		expect(loadConfig(root, { sid: SID, folder: cwd }).config.nudge.wording).toBe("off");
		expect(loadSnapshot(sessionAt(root, SID), NOW).profile).toBe("quiet");
		expect(await json(ccg("profile", "show", "--session", "0c0f", "--json"))).toMatchObject({
			profile: "quiet",
			chosen_for: "session",
			config: { guard: { mode: "off" } },
		});
		await ccg("profile", "use", "none", "--session", "0c0f");
		expect(loadSnapshot(sessionAt(root, SID), NOW).profile).toBe("careful");
		await ccg("profile", "use", "none");
		expect(await json(ccg("profile", "show", "--json"))).toMatchObject({ profile: "default", chosen_for: null });
	});
	test("of a file: refused with the failing key, told when it was changed since", async () => {
		const { ccg, root, cwd } = place();
		mkdirSync(join(root, "profiles"), { recursive: true });
		const file = join(root, "profiles", "mine.yaml");
		writeFileSync(file, "recovery:\n  maxCharacters: 5\n");
		await expect(ccg("profile", "use", "mine")).rejects.toThrow("recovery.maxCharacters: unknown key");
		writeFileSync(file, "recovery:\n  maxChars: 5000\n");
		await ccg("profile", "use", "mine");
		writeFileSync(file, "recovery:\n  maxChars: 6000\n");
		expect(loadConfig(root, { folder: cwd }).config.recovery.maxChars).toBe(5_000);
		expect((await ccg("profile", "show")).err).toContain("was changed since it was chosen");
		expect(await json(ccg("profile", "show", "mine", "--json"))).toMatchObject({
			config: { recovery: { maxChars: 6_000 } },
		});
	});
	test("none takes the name back from the session's context, and what counts is what is shown", async () => {
		const { ccg, root } = place();
		const shown = async () => [
			/profile (\w+)/.exec((await ccg("sessions", "list")).out)?.[1],
			(await json(ccg("sessions", "show", "--json"))).profile,
			loadSnapshot(sessionAt(root, SID), NOW).profile,
		];
		for (const [args, name] of [
			[["careful"], "careful"],
			[["quiet", "--session", "0c0f"], "quiet"],
			[["none", "--session", "0c0f"], "careful"],
			[["none"], "default"],
		] as const) {
			await ccg("profile", "use", ...args);
			expect(await shown()).toEqual([name, name, name]);
		}
		updateSnapshot(sessionAt(root, SID), NOW, (snapshot) => {
			snapshot.profile = "gone";
		});
		expect(await shown()).toEqual(["default", "default", "gone"]);
	});
	test("of another project's sessions none is touched", async () => {
		const { ccg, root, cwd } = place();
		await ccg("profile", "use", "careful");
		await ccg("profile", "use", "quiet", "--project", scratch("elsewhere"));
		expect(loadSnapshot(sessionAt(root, SID), NOW).profile).toBe("careful");
		expect(loadConfig(root, { sid: SID, folder: cwd }).profile).toBe("careful");
	});
	test("the list: broken ones, one that replaces a built-in, one that ends in .yml, the path once", async () => {
		const { ccg, root } = place();
		const folder = join(root, "profiles");
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, "bad.yaml"), "marker: [1, 2");
		writeFileSync(join(folder, "quiet.yaml"), "description: quieter");
		writeFileSync(join(folder, "short.yml"), "description: short");
		const { out } = await ccg("profile", "list");
		expect(out).toMatch(new RegExp(`^  bad +broken: no YAML: \\S.*[^:]  ${folder}/bad.yaml$`, "m"));
		expect(out.split(join(folder, "bad.yaml"))).toHaveLength(2);
		expect(out).toMatch(new RegExp(`^  quiet +quieter  ${folder}/quiet.yaml, in place of the built-in one$`, "m"));
		expect(out).toMatch(new RegExp(`^  short +short  ${folder}/short.yml$`, "m"));
		expect(await json(ccg("profile", "list", "--json"))).toContainEqual(
			expect.objectContaining({ name: "quiet", replaces_built_in: true }),
		);
		expect(await json(ccg("profile", "show", "short", "--json"))).toMatchObject({ description: "short" });
	});
	test("what is not there, and two places at once", async () => {
		await expect(place().ccg("profile", "use", "nosuch")).rejects.toThrow("no profile 'nosuch'");
		await expect(place().ccg("profile", "use", "quiet", "--session", SID, "--project")).rejects.toThrow(
			"one of them at a time",
		);
	});
});

test("env: two lines and the processes, or JSON", async () => {
	const { ccg, cwd } = place();
	expect((await ccg("env")).out).toContain(`Workspace \`${cwd}\``);
	expect(await json(ccg("env", "--json"))).toMatchObject({ workspace: cwd });
});

test.each([
	["sessions"],
	["profile"],
	["sessions", "list"],
	["sessions", "show"],
	["sessions", "export"],
	["sessions", "delete"],
	["sessions", "compact"],
	["approvals"],
	["env"],
	["profile", "list"],
	["profile", "use"],
	["profile", "show"],
])("%s %s --help has examples", (...names) => {
	const help: string[] = [];
	const program = new Command("ccg").exitOverride();
	const io = { env: {}, cwd: "/" } as Io;
	registerSessions(program, io);
	registerApprovals(program, io);
	registerProfile(program, io);
	registerEnv(program, io);
	let command = program;
	for (const name of names.filter(Boolean)) command = command.commands.find((each) => each.name() === name)!;
	command.configureOutput({ writeOut: (text) => help.push(text) });
	command.outputHelp();
	expect(help.join("")).toContain(`Examples:\n  ccg ${names.filter(Boolean).join(" ")}`);
});
