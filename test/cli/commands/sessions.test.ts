import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { moment } from "../../../src/cli/support/layout/moment.ts";
import { sessionPaths } from "../../../src/store/paths.ts";
import { readRecords } from "../../../src/store/session/event-log.ts";
import { loadSnapshot, updateSnapshot } from "../../../src/store/session/session-snapshot.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { recordedIo } from "../../kit/recorded-io.ts";
import { json, NOW, SID, sessionCommands, sessionProgram } from "../../kit/session-commands.ts";
import { storeAt } from "../../kit/store.ts";

describe("sessions", () => {
	test("list, show and export, for people and as JSON", async () => {
		const { ccg, cwd } = sessionCommands();
		expect((await ccg("sessions", "list")).out).toMatch(
			new RegExp(`^${SID}  ${moment(NOW.toISOString())} +6 +\\d+ +2  default  `, "m"),
		);
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
			event_log_broken_lines: 0,
		});
		expect(exported.event_log.filter(({ kind }: { kind: string }) => kind === "message")).toHaveLength(6);
	});

	test("compact: a dry run writes nothing, the real one leaves its line in the event log, a second finds nothing", async () => {
		const { ccg, root } = sessionCommands({ messages: 60 });
		const dry = await json(ccg("sessions", "compact", "--dry-run", "--json"));
		expect(dry).toMatchObject({ dry_run: true, compacted: true, summarised_entries: 20, kept_entries: 43 });
		expect(loadSnapshot(sessionAt(storeAt(root), SID), NOW).recent_history).toHaveLength(63);
		expect((await ccg("sessions", "compact", "--dry-run")).out).toContain("Would summarise 20 entries");
		expect((await ccg("sessions", "compact", "--session", "0c0")).out).toContain(
			`Summarised 20 entries of ${SID}; 43 stay`,
		);
		expect(loadSnapshot(sessionAt(storeAt(root), SID), NOW).recent_history).toHaveLength(43);
		expect(readRecords(sessionAt(storeAt(root), SID)).records.at(-1)).toMatchObject({
			kind: "summarised",
			entries: 20,
			first: dry.first_id,
			last: dry.last_id,
		});
		expect((await ccg("sessions", "compact")).out).toContain("Nothing to summarise");
	});

	test.each([
		["without a terminal and --yes: no, with exit code 2", {}, [], true, 2],
		["with --yes: no question", {}, ["--yes"], false, 0],
		["asked and declined", { interactive: true, answer: false }, [], true, 0],
		["asked and confirmed", { interactive: true }, [], false, 0],
	])("delete %s", async (_, how, args, stays, code) => {
		const { ccg, root, asked } = sessionCommands(how);
		expect((await ccg("sessions", "delete", "0c0ffee0", ...args)).code).toBe(code);
		expect(existsSync(sessionPaths(root, SID).folder)).toBe(stays);
		expect(asked).toHaveLength("interactive" in how ? 1 : 0);
	});

	test.each([["show"], ["export"], ["delete"], ["compact", "--session"]])(
		"%s of a session nobody knows",
		async (...args) => {
			await expect(sessionCommands().ccg("sessions", ...args, "beef")).rejects.toThrow("no session 'beef' in");
		},
	);
	test("the beginning of two ids", async () => {
		const { ccg, root } = sessionCommands();
		mkdirSync(join(root, "sessions", "0c0ffee1"), { recursive: true });
		await expect(ccg("sessions", "show", "0c0ffee")).rejects.toThrow("is the beginning of 2 sessions");
		await expect(ccg("sessions", "show", "0c0ffee1")).rejects.toThrow("has no context yet");
	});
	test("a path is no session", async () => {
		await expect(sessionCommands().ccg("sessions", "delete", "../..", "--yes")).rejects.toThrow("no session '../..'");
	});
	test("a damaged context is told, the list goes on", async () => {
		const { ccg, root } = sessionCommands();
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
	const { ccg } = sessionCommands();
	const lines = (await ccg("approvals")).out.split("\n");
	expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}rejected {2}Bash git push — "never", session 0c0ffee0$/);
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
		const one = sessionCommands({ messages: 60 });
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
		const { ccg } = sessionCommands();
		expect(await ccg(group)).toEqual(await ccg(group, "list"));
		expect(await ccg(group, "--json")).toEqual(await ccg(group, "list", "--json"));
	});
	test.each(["sessions", "profile"])("%s with a word it does not know", async (group) => {
		await expect(sessionCommands().ccg(group, "lst")).rejects.toThrow("unknown command 'lst'");
	});
});

test("tools beyond the first five are counted", async () => {
	const { ccg, root } = sessionCommands();
	const by_tool = { Bash: 5, Read: 4, Edit: 3, Write: 2, Grep: 2, Glob: 1, Task: 1 };
	updateSnapshot(sessionAt(storeAt(root), SID), NOW, (snapshot) => {
		snapshot.tool_stats = { total_calls: 18, by_tool, failures: 0 };
	});
	expect((await ccg("sessions", "show")).out).toContain(
		"18 calls, 0 failed (Bash 5, Read 4, Edit 3, Write 2, Grep 2, … 2 more of 2 other tools)",
	);
});

test("env: two lines and the processes, or JSON", async () => {
	const { ccg, cwd } = sessionCommands();
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
	let command = sessionProgram(recordedIo().io);
	for (const name of names.filter(Boolean)) command = command.commands.find((each) => each.name() === name)!;
	command.configureOutput({ writeOut: (text) => help.push(text) });
	command.outputHelp();
	expect(help.join("")).toContain(`Examples:\n  ccg ${names.filter(Boolean).join(" ")}`);
});
