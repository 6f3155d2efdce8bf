import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { registerInstall } from "../../../src/cli/commands/install.ts";
import { registerUninstall } from "../../../src/cli/commands/uninstall.ts";
import type { Ask, AskText } from "../../../src/cli/support/ask-on-terminal.ts";
import type { Io } from "../../../src/cli/support/io.ts";
import { recognise } from "../../../src/install/catalog.ts";
import { findEntries } from "../../../src/install/settings-text.ts";
import { ENTRIES } from "../../install/shapes.ts";
import { scratch } from "../../scratch-home.ts";

const TEXT = '{\n  "model": "opus"\n}\n';

describe("ccg install", () => {
	it("with --yes registers, and says what, where the backup is and what is next", async () => {
		const { run, path, folder } = world(TEXT);
		const { out, err, code } = await run(["install", "--yes"]);
		expect(findEntries(readFileSync(path, "utf8"))).toHaveLength(ENTRIES);
		expect(out).toContain(
			`Registered in ${path}: SessionStart, PreToolUse, UserPromptSubmit, PostToolBatch, Stop, PreCompact, PostCompact, SessionEnd, status line.`,
		);
		const backup = /The file as it was before: (.*)/.exec(out)?.[1] ?? "";
		expect(backup.startsWith(join(folder, ".claude-memory/install/"))).toBe(true);
		expect(readFileSync(backup, "utf8")).toBe(TEXT);
		expect(out).toContain("Running sessions pick it up at once");
		expect(out).toContain("/opt/ccg/bin/ccg doctor");
		// what will be done stands before the diff
		const before = out.slice(0, out.indexOf("+++"));
		expect(before).toContain("registers ccg:");
		expect(before).toContain("It can be undone: `/opt/ccg/bin/ccg uninstall`");
		expect({ err, code }).toEqual({ err: "", code: 0 });
	});

	it("a second time is up to date", async () => {
		const { run, path } = world(TEXT);
		await run(["install", "--yes"]);
		const before = readFileSync(path);
		expect(await run(["install"])).toEqual({ out: `Already up to date: ${path}`, err: "", code: 0 });
		expect(readFileSync(path)).toEqual(before);
	});

	it("--dry-run shows the diff and writes nothing", async () => {
		const { run, path, folder } = world(TEXT);
		const { out, code } = await run(["install", "--dry-run", "--allow-memory"]);
		expect(out).toContain(`+++ ${path}`);
		expect(out).toContain('+      "Bash(/opt/ccg/bin/ccg memory save:*)"');
		expect(code).toBe(0);
		expect(readFileSync(path, "utf8")).toBe(TEXT);
		expect(existsSync(join(folder, ".claude-memory"))).toBe(false);
	});

	it("without a terminal and without --yes changes nothing and ends 2", async () => {
		const { run, path } = world(TEXT);
		const { out, err, code } = await run(["install"]);
		expect(out).toContain(`+++ ${path}`);
		expect(err).toContain("To apply this: ccg install --yes");
		expect(code).toBe(2);
		expect(readFileSync(path, "utf8")).toBe(TEXT);
	});

	it.each([
		[true, ENTRIES],
		[false, 0],
	])("asks on a terminal; the answer %s decides", async (answer, entries) => {
		const { run, path } = world(TEXT);
		const { code, questions } = await run(["install"], { interactive: true, answer });
		expect(questions).toEqual([`Change ${path}? [y/N] `]);
		expect(findEntries(readFileSync(path, "utf8"))).toHaveLength(entries);
		expect(code).toBe(0);
	});

	it("colours the diff where colours are wanted", async () => {
		const { run } = world(TEXT);
		const { out } = await run(["install", "--dry-run"], { colours: true });
		expect(out).toContain('\u001b[32m+  "hooks": {\u001b[39m');
		expect(out).toContain('\u001b[31m-  "model": "opus"\u001b[39m');
	});

	it.each([
		["in the file itself", ".claude/settings.json", "user"],
		["in the project's", "work/.claude/settings.json", "user"],
		["for the project's", ".claude/settings.json", "project"],
	])("hooks that are switched off %s are told, with where", async (_, file, scope) => {
		const { run, folder } = world("{}");
		mkdirSync(join(folder, "work/.claude"));
		const off = join(folder, file);
		writeFileSync(off, '{"disableAllHooks":true}');
		const warning = `Warning: hooks are switched off: disableAllHooks is true in ${off}`;
		const { out } = await run(["install", "--yes", "--scope", scope]);
		expect(out).toContain(warning);
		expect(out).toContain("No session runs it as long as hooks are switched off");
		expect(out).not.toContain("pick it up at once");
		expect((await run(["install", "--scope", scope])).out).toContain(warning);
	});

	it("a project that switches them on again gets no warning", async () => {
		const { run, folder } = world('{"disableAllHooks":true}');
		mkdirSync(join(folder, "work/.claude"));
		writeFileSync(join(folder, "work/.claude/settings.json"), '{"disableAllHooks":false}');
		expect((await run(["install", "--yes"])).out).toContain("Running sessions pick it up at once");
	});

	it("--scope local writes this folder's local settings", async () => {
		const { run, path, folder } = world(TEXT);
		await run(["install", "--yes", "--scope", "local"]);
		expect(readFileSync(path, "utf8")).toBe(TEXT);
		expect(findEntries(readFileSync(join(folder, "work/.claude/settings.local.json"), "utf8"))).toHaveLength(ENTRIES);
	});

	it("refuses an unparsable file in one message, bytes untouched", async () => {
		const broken = '{\n  "model": "opus", // mine\n}\n';
		const { run, path, folder } = world(broken);
		const { out, err, code } = await run(["install", "--yes"]);
		expect(out).toBe("");
		expect(err).toMatch(/^ccg: .*settings\.json, line 2, column 20: .*comments.*Nothing was changed.*$/);
		expect(err).toContain(path);
		expect(code).toBe(1);
		expect(readFileSync(path, "utf8")).toBe(broken);
		expect(existsSync(join(folder, ".claude-memory"))).toBe(false);
	});

	it("gives the entries to paste where the file is read-only", async () => {
		const text = '{"statusLine":{"type":"command","command":"mine"}}';
		const { run, path, folder } = world(text);
		chmodSync(path, 0o444);
		const { out, err, code } = await run(["install", "--yes", "--allow-memory"]);
		expect(err).toContain(`${path} can't be written`);
		expect(code).toBe(1);
		const snippet = out.slice(out.lastIndexOf("\n{\n") + 1);
		expect(findEntries(snippet)).toHaveLength(ENTRIES);
		expect(findEntries(snippet).at(-1)?.wrapped).toBe("mine");
		expect(JSON.parse(snippet).permissions.allow).toHaveLength(1);
		expect(readFileSync(path, "utf8")).toBe(text);
		expect(existsSync(join(folder, ".claude-memory"))).toBe(false);
	});

	it("names a folder that is none", async () => {
		const { run, folder } = world(TEXT);
		writeFileSync(join(folder, "plain"), "");
		const { err, code } = await run(["install", "--yes"], {
			env: { HOME: folder, CLAUDE_CONFIG_DIR: join(folder, "plain") },
		});
		expect(err).toContain(join(folder, "plain"));
		expect(err).toContain("a part of the path is no folder. The settings were not changed; check that path");
		expect(code).toBe(1);
	});

	describe("by the version of Claude Code", () => {
		const events = (path: string) => Object.keys(JSON.parse(readFileSync(path, "utf8")).hooks);
		/** A Claude Code that tells this version. */
		const claude = (folder: string, version: string) => {
			mkdirSync(join(folder, "bin"), { recursive: true });
			writeFileSync(join(folder, "bin/claude"), `#!/bin/sh\necho '${version} (Claude Code)'\n`, { mode: 0o755 });
			return { HOME: folder, PATH: `${join(folder, "bin")}:/usr/bin:/bin` };
		};

		it.each([
			["2.1.100", ", and would skip the whole settings file: left out."],
			["2.1.101", ": left out."],
		])("%s on PATH: only what it knows, and what is missing is said", async (version, effect) => {
			const { run, path, folder } = world(TEXT);
			const { out, code } = await run(["install", "--yes"], { env: claude(folder, version) });
			expect(events(path)).toContain("PostToolUse");
			expect(events(path)).not.toContain("PostToolBatch");
			expect(out).toContain(
				`Claude Code ${version} (${join(folder, "bin/claude")}) does not know PostToolBatch${effect}`,
			);
			expect(out).toContain("Context use is measured after each tool call");
			expect(out).toContain("After an update of Claude Code run `/opt/ccg/bin/ccg install` again.");
			expect(code).toBe(0);
		});

		it("a newer one later gets what it knows, in the place of the other entries", async () => {
			const { run, path, folder } = world(TEXT);
			await run(["install", "--yes"], { env: claude(folder, "2.0.30") });
			expect(events(path)).not.toContain("PostCompact");
			await run(["install", "--yes"], { env: claude(folder, "2.1.329") });
			expect(events(path)).toEqual(expect.arrayContaining(["PostToolBatch", "PostCompact"]));
			expect(events(path)).not.toContain("PostToolUse");
			await run(["uninstall", "--yes"]);
			expect(readFileSync(path, "utf8")).toBe(TEXT);
		});

		it("a current one is not spoken of", async () => {
			const { run, folder } = world(TEXT);
			expect((await run(["install", "--yes"], { env: claude(folder, "2.1.118") })).out).not.toContain("Claude Code 2");
		});

		it("--claude-version goes before what is found; a wrong one is refused", async () => {
			const { run, path, folder } = world(TEXT);
			const env = claude(folder, "2.1.329");
			await expect(run(["install", "--yes", "--claude-version", "latest"], { env })).rejects.toThrow("three numbers");
			await run(["install", "--yes", "--claude-version", "2.1.50"], { env });
			expect(events(path)).not.toContain("PostCompact");
		});

		it.each(["1.0.60", "2.0.29"])("%s does not know what ccg can't do without: nothing is changed", async (version) => {
			const { run, path, folder } = world(TEXT);
			for (const [args, env] of [
				[["install", "--yes"], claude(folder, version)],
				[["install", "--yes", "--claude-version", version], { HOME: folder }],
			] as const) {
				const { err, code } = await run([...args], { env });
				expect(err).toContain(`Claude Code ${version} (`);
				expect(err).toContain("is older than 2.0.30");
				expect(code).toBe(1);
				expect(readFileSync(path, "utf8")).toBe(TEXT);
			}
		});

		it("what is to be typed without a terminal names the version too", async () => {
			const { run } = world(TEXT);
			expect((await run(["install", "--claude-version", "2.1.100"])).err).toContain(
				"ccg install --claude-version 2.1.100 --yes",
			);
		});

		it("one that is not found keeps what the settings are made for, else what wrote the last session", async () => {
			const { run, path, folder } = world(TEXT);
			await run(["install", "--yes", "--claude-version", "2.1.100"]);
			const before = readFileSync(path, "utf8");
			expect((await run(["install", "--yes"])).out).toContain("Already up to date");
			await run(["install", "--yes", "--allow-memory"]);
			expect(events(path)).toEqual(Object.keys(JSON.parse(before).hooks));
			await run(["uninstall", "--yes"]);
			mkdirSync(join(folder, ".claude/projects/-x"), { recursive: true });
			writeFileSync(join(folder, ".claude/projects/-x/s.jsonl"), '{"type":"user","version":"2.1.50"}\n');
			expect((await run(["install", "--yes"])).out).toContain("Claude Code 2.1.50 (wrote the last session)");
			expect(events(path)).not.toContain("PostCompact");
		});

		it("an unknown one is asked about on a terminal, and without one told", async () => {
			const { run, path } = world(TEXT);
			const asked = { interactive: true, answer: true, text: "2.1.100" };
			const { texts, out } = await run(["install"], asked);
			expect(texts).toEqual([expect.stringContaining("Which version is it")]);
			expect(out).toContain("Claude Code 2.1.100 (as given)");
			expect(events(path)).not.toContain("PostToolBatch");
			await run(["uninstall", "--yes"]);
			const wrong = await run(["install"], { ...asked, text: "new" });
			expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('"new" is no version') });
			await run(["uninstall", "--yes"]);
			expect((await run(["install", "--yes"])).out).toContain("its version is not known and every event is registered");
			expect(events(path)).toContain("PostToolBatch");
			expect((await run(["install"], asked)).texts).toEqual([]);
		});
	});

	it("for one repository keeps the user's own status line inside, and takes nothing of it along", async () => {
		const mine = '{"statusLine":{"type":"command","command":"mine --x","padding":2,"refreshInterval":5}}';
		const { run, path, folder } = world(mine);
		const local = join(folder, "work/.claude/settings.local.json");
		const { out } = await run(["install", "--yes", "--scope", "local"]);
		expect(out).toContain("Its command: mine --x");
		const { statusLine } = JSON.parse(readFileSync(local, "utf8"));
		expect(recognise(statusLine.command)?.wrapped).toBe("mine --x");
		expect(statusLine).toMatchObject({ padding: 2, refreshInterval: 5 });
		writeFileSync(local, JSON.stringify({ ...JSON.parse(readFileSync(local, "utf8")), theirs: 1 }));
		await run(["uninstall", "--yes", "--scope", "local"]);
		expect(JSON.parse(readFileSync(local, "utf8"))).toEqual({ theirs: 1 });
		expect(readFileSync(path, "utf8")).toBe(mine);
	});

	it("a user's line that has changed since is followed, and never left behind", async () => {
		const { run, path, folder } = world('{"statusLine":{"type":"command","command":"A"}}');
		const local = join(folder, "work/.claude/settings.local.json");
		const change = (edit: object) =>
			writeFileSync(local, JSON.stringify({ ...JSON.parse(readFileSync(local, "utf8")), ...edit }));
		await run(["install", "--yes", "--scope", "local"]);
		change({ permissions: { allow: ["Bash(ls)"] } });
		writeFileSync(path, '{"statusLine":{"type":"command","command":"B"}}');
		await run(["install", "--yes", "--scope", "local"]);
		expect(recognise(JSON.parse(readFileSync(local, "utf8")).statusLine.command)?.wrapped).toBe("B");
		writeFileSync(path, '{"statusLine":{"type":"command","command":"C"}}');
		await run(["uninstall", "--yes", "--scope", "local"]);
		expect(JSON.parse(readFileSync(local, "utf8"))).toEqual({ permissions: { allow: ["Bash(ls)"] } });
	});

	it("a line of the repository goes before the user's, and ccg's own is not wrapped", async () => {
		const { run, folder } = world('{"statusLine":{"type":"command","command":"mine"}}');
		const local = join(folder, "work/.claude/settings.local.json");
		const wrapped = () => recognise(JSON.parse(readFileSync(local, "utf8")).statusLine.command)?.wrapped;
		mkdirSync(join(folder, "work/.claude"));
		await run(["install", "--yes"]);
		await run(["install", "--yes", "--scope", "local"]);
		expect(wrapped()).toBe("mine");
		await run(["uninstall", "--yes", "--scope", "local"]);
		writeFileSync(join(folder, "work/.claude/settings.json"), '{"statusLine":{"type":"command","command":"theirs"}}');
		await run(["install", "--yes", "--scope", "local"]);
		expect(wrapped()).toBe("theirs");
	});

	it("--scope local says so where git does not ignore the file", async () => {
		const { run, folder } = world(TEXT);
		mkdirSync(join(folder, "work/.git/info"), { recursive: true });
		const told = "git does not ignore .claude/settings.local.json";
		expect((await run(["install", "--dry-run", "--scope", "local"])).out).toContain(told);
		for (const [file, line] of [
			[".git/info/exclude", ".claude/settings.local.json"],
			[".gitignore", ".claude/"],
			[".gitignore", "*.local.json"],
		] as const) {
			writeFileSync(join(folder, "work", file), `${line}\n`);
			expect((await run(["install", "--dry-run", "--scope", "local"])).out).not.toContain(told);
			writeFileSync(join(folder, "work", file), "");
		}
	});

	it("does not put this machine's path into what a repository shares", async () => {
		const { run, folder } = world(TEXT);
		mkdirSync(join(folder, "work/.git"));
		const { err, code } = await run(["install", "--yes", "--scope", "project"]);
		expect(err).toContain("is shared with everybody who uses this repository");
		expect(err).toContain("ccg install --scope local");
		expect(code).toBe(1);
		expect(existsSync(join(folder, "work/.claude"))).toBe(false);
	});

	it("explains itself", async () => {
		const { help } = world(TEXT);
		expect(help("install")).toContain("ccg install --scope local");
		expect(help("install")).toContain("Exit codes:");
		expect(help("uninstall")).toContain("ccg uninstall --dry-run");
	});
});

describe("ccg uninstall", () => {
	it("gives the bytes back, and has nothing to do the second time", async () => {
		const { run, path } = world(TEXT);
		await run(["install", "--yes"]);
		expect((await run(["uninstall"])).code).toBe(2);
		const { out, code } = await run(["uninstall", "--yes"]);
		expect(out).toContain(`Removed from ${path}.`);
		expect(code).toBe(0);
		expect(readFileSync(path, "utf8")).toBe(TEXT);
		expect(await run(["uninstall", "--yes"])).toEqual({
			out: `No entries of ccg in ${path}; nothing to do.`,
			err: "",
			code: 0,
		});
	});

	it("takes the project's .claude away when the install made it and nothing else is in it", async () => {
		const { run, folder } = world(TEXT);
		const made = join(folder, "work/.claude");
		const both = async () => {
			await run(["install", "--yes", "--scope", "project"]);
			await run(["install", "--yes", "--scope", "project", "--allow-memory"]);
			expect(existsSync(made)).toBe(true);
		};
		await both();
		await run(["uninstall", "--yes", "--scope", "project"]);
		expect(existsSync(made)).toBe(false);
		await both();
		writeFileSync(join(made, "notes.md"), "mine");
		await run(["uninstall", "--yes", "--scope", "project"]);
		expect(readdirSync(made)).toEqual(["notes.md"]);
	});

	it("leaves an empty .claude that was there before", async () => {
		const { run, folder } = world(TEXT);
		const own = join(folder, "work/.claude");
		mkdirSync(own);
		await run(["install", "--yes", "--scope", "project"]);
		await run(["uninstall", "--yes", "--scope", "project"]);
		expect(readdirSync(own)).toEqual([]);
	});

	it("--dry-run writes nothing; a declined question neither", async () => {
		const { run, path } = world(TEXT);
		await run(["install", "--yes"]);
		const installed = readFileSync(path, "utf8");
		expect((await run(["uninstall", "--dry-run"])).out).toContain('-  "hooks": {');
		await run(["uninstall"], { interactive: true, answer: false });
		expect(readFileSync(path, "utf8")).toBe(installed);
	});

	it("refuses an unparsable file", async () => {
		const { run, path } = world("");
		const { err, code } = await run(["uninstall", "--yes"]);
		expect(err).toContain(`${path}, line 1, column 1`);
		expect(code).toBe(1);
		expect(readFileSync(path, "utf8")).toBe("");
	});

	it("where there never was a file is nothing to do", async () => {
		const { run, path } = world(null);
		expect((await run(["uninstall", "--yes"])).out).toContain("nothing to do");
		expect(existsSync(path)).toBe(false);
	});
});

interface With {
	interactive?: boolean;
	answer?: boolean;
	/** Answers what is asked for a text. */
	text?: string;
	colours?: boolean;
	env?: Io["env"];
}

/** A home with the given settings and a way to run commands in it. */
function world(text: string | null) {
	const folder = scratch("cli");
	const path = join(folder, ".claude/settings.json");
	mkdirSync(join(folder, ".claude"));
	mkdirSync(join(folder, "work"));
	if (text !== null) writeFileSync(path, text);

	const program = (io: Io, ask?: Ask, askText?: AskText) => {
		const command = new Command("ccg").exitOverride();
		registerInstall(command, io, ask, askText);
		registerUninstall(command, io, ask);
		return command;
	};
	const ioWith = ({ interactive = false, colours = false, env = { HOME: folder } }: With) => {
		const said = { out: [] as string[], err: [] as string[], code: 0 };
		const io: Io = {
			env,
			cwd: join(folder, "work"),
			launcher: "/opt/ccg/bin/ccg",
			interactive,
			colours: pc.createColors(colours),
			out: (line) => said.out.push(line),
			err: (line) => said.err.push(line),
			exit: (code) => {
				said.code = code;
			},
		};
		return { io, said };
	};
	const run = async (args: string[], options: With = {}) => {
		const { io, said } = ioWith(options);
		const questions: string[] = [];
		const texts: string[] = [];
		await program(
			io,
			async (question) => {
				questions.push(question);
				return options.answer ?? false;
			},
			async (question) => {
				texts.push(question);
				return options.text ?? "";
			},
		).parseAsync(args, { from: "user" });
		return {
			out: said.out.join("\n"),
			err: said.err.join("\n"),
			code: said.code,
			...(options.interactive && { questions }),
			...(options.text !== undefined && { texts }),
		};
	};
	const help = (name: string) => {
		let text = "";
		const command = program(ioWith({}).io).commands.find((candidate) => candidate.name() === name)!;
		command.configureOutput({
			writeOut: (part) => {
				text += part;
			},
		});
		command.outputHelp();
		return text;
	};
	return { folder, path, run, help };
}
