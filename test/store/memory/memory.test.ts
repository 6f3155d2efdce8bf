import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { listMemory, type SaveRequest } from "../../../src/store/memory/memory.ts";
import { nativeMemoryFolder } from "../../../src/store/project.ts";
import { startBun } from "../../kit/process.ts";
import { scratch } from "../../scratch-home.ts";
import { place } from "./memory-fixture.ts";

describe("saveMemory", () => {
	test.each([
		[
			"project memory",
			{},
			"MEMORY.md",
			"# ccg memory of this project: one note per bullet, yours to edit\n\n- a fact\n",
		],
		[
			"project log",
			{ target: "log" },
			"log/2026-01-31.md",
			"# ccg log of 2026-01-31, yours to read and edit\n\n- 09:05 a fact\n",
		],
	] as const)("%s", (_, more, name, content) => {
		const { save, folder } = place();
		expect(save("a fact", more)).toEqual({ path: join(folder, name), status: "saved" });
		expect(readFileSync(join(folder, name), "utf8")).toBe(content);
		expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
		const beside = name === "MEMORY.md" ? ["notes.json"] : [];
		expect(readdirSync(dirname(join(folder, name)))).toEqual([name.split("/").at(-1), ...beside]);
	});

	test("global", () => {
		const { save, root } = place();
		const scope = { global: true } as const;
		expect(save("a", { scope }).path).toBe(join(root, "MEMORY.md"));
		expect(save("a", { scope, target: "log" }).path).toBe(join(root, "log", "2026-01-31.md"));
		expect(readFileSync(join(root, "MEMORY.md"), "utf8")).toMatch(/^# ccg memory for all projects.*\n\n- a\n$/);
	});

	test.each([
		["many lines are one bullet", "first\n\nsecond\n  third  \n", "- first\n\n  second\n    third\n"],
		["a bullet is not doubled", "- a fact", "- a fact\n"],
		["white space around it", "  \n a fact \n", "- a fact\n"],
		["Windows line ends", "a\r\nb", "- a\n  b\n"],
		["control characters and colours", "a\u0000b\u001b[31mc\u001b[0m\u0007\u009b\td", "- abc\td\n"],
		["secrets", "DB_PASSWORD=hunter2hunter", "- DB_PASSWORD=[REDACTED:secret]\n"],
		["astral and right-to-left text", "🦊 שלום", "- 🦊 שלום\n"],
	])("%s", (_, text, expected) => {
		const { save, memory } = place();
		save(text);
		expect(readFileSync(memory, "utf8").split("\n\n").slice(1).join("\n\n")).toBe(expected);
		expect(save(text).status).toBe("duplicate");
	});

	test.each([
		["white space and case", "A  Fact\there", "a fact HERE", "duplicate"],
		["a numbered line", "1. a fact", "1. a fact", "duplicate"],
		["many lines", "a\nb", "a b", "duplicate"],
		["other text", "a fact", "a fact too", "saved"],
		["part of a note", "a\nb", "b", "saved"],
	])("same text: %s", (_, first, second, status) => {
		for (const target of ["memory", "log"] as const) {
			const { save } = place();
			save(first, { target });
			expect(save(second, { target, now: new Date(2026, 0, 31, 17, 0) }).status).toBe(status);
		}
	});

	test("the same text may stand in another file", () => {
		const { save } = place();
		const others: Partial<SaveRequest>[] = [
			{},
			{ target: "log" },
			{ scope: { global: true } },
			{ target: "log", now: new Date(2026, 1, 1) },
		];
		for (const more of others) expect(save("a fact", more).status).toBe("saved");
	});

	test.each([
		["no line end", "# Mine\n\n* by hand", "\n- new\n"],
		["Windows line ends", "\uFEFF# Mine\r\n- by hand\r\n", "- new\r\n"],
		["no UTF-8", Uint8Array.from([0x2d, 0x20, 0xff, 0xfe, 0xe9, 0x0a]), "- new\n"],
		["only white space", "\n\n", "- new\n"],
	])("hand-written content keeps every byte: %s", (_, content, added) => {
		const { save, memory, write } = place();
		write(memory, content);
		chmodSync(memory, 0o640);
		expect(save("new").status).toBe("saved");
		expect(readFileSync(memory).equals(Buffer.concat([Buffer.from(content as string), Buffer.from(added)]))).toBe(true);
		expect(statSync(memory).mode & 0o777).toBe(0o640);
	});

	test("a note written by hand is known, also with another bullet", () => {
		const { save, memory, write } = place();
		write(memory, "* A fact\n  in two lines\n\nA paragraph.\n");
		expect(save("a fact in two lines").status).toBe("duplicate");
		expect(save("a paragraph.").status).toBe("duplicate");
	});

	test("a MEMORY.md linked to a folder the configuration names stays a link", () => {
		const { root, save, memory, write } = place();
		const real = write(join(scratch(), "notes.md"), "- mine\n");
		mkdirSync(dirname(memory), { recursive: true });
		symlinkSync(real, memory);
		expect(() => save("new")).toThrow("is a symbolic link that leads out of the store");
		write(join(root, "config.json"), JSON.stringify({ memory: { linkFolder: dirname(real) } }));
		save("new");
		expect(lstatSync(memory).isSymbolicLink()).toBe(true);
		expect(readFileSync(real, "utf8")).toBe("- mine\n- new\n");
	});

	test("errors say what, where and what to do; nothing is written", () => {
		const { save, memory, root } = place();
		for (const text of ["", " \n\t ", "\u0000", "- "])
			expect(() => save(text)).toThrow("the note is empty; give its text");
		expect(() => save("x".repeat(8001))).toThrow("may have 8000 characters, this one has 8001; shorten it");
		expect(readdirSync(dirname(root))).toEqual([]);
		mkdirSync(memory, { recursive: true });
		expect(() => save("a")).toThrow(`the note was not saved in ${memory}: it is no regular file; move it away`);
		expect(save("x".repeat(8000), { target: "log" }).status).toBe("saved");
	});

	test("12 processes saving while hooks append lose nothing", async () => {
		const { root, cwd, memory, log } = place();
		const run = async (code: string) => (await startBun(["-e", code])).exitCode;
		const from = (name: string) => JSON.stringify(join(import.meta.dirname, "../../../src/store/memory", name));
		const at = `${JSON.stringify({ root, scope: { cwd } }).slice(0, -1)}, tell() {}, now: new Date(2026, 0, 31, 9, 5)`;
		const codes = await Promise.all(
			Array.from({ length: 12 }, (_, writer) =>
				run(`
					import { saveMemory } from ${from("memory.ts")};
					import { appendLog } from ${from("daily-log.ts")};
					for (let i = 0; i < 3; i++) {
						saveMemory(${at}, target: "memory", text: "memory ${writer}-" + i });
						saveMemory(${at}, target: "log", text: "log ${writer}-" + i });
						appendLog(${JSON.stringify(root)}, ${JSON.stringify(cwd)}, "hook ${writer}-" + i, new Date(2026, 0, 31, 9, 5));
					}`),
			),
		);
		expect(codes).toEqual(Array(12).fill(0));
		const count = (path: string, pattern: RegExp) => new Set(readFileSync(path, "utf8").match(pattern)).size;
		expect(count(memory, /^- memory \d+-\d$/gm)).toBe(36);
		expect(count(log, /^- 09:05 log \d+-\d$/gm)).toBe(36);
		expect(count(log, /^- 09:05 hook \d+-\d$/gm)).toBe(36);
		expect(count(log, /^# .*$/gm)).toBe(1);
		expect(readdirSync(dirname(log))).toEqual(["2026-01-31.md"]);
	});
});

test("listMemory: the project's, the global and Claude Code's own files", () => {
	const { root, cwd, folder, save, write } = place();
	const claude = scratch("claude");
	expect(listMemory(root, claude, cwd)).toEqual([]);
	save("a");
	save("b", { target: "log" });
	save("c", { scope: { global: true } });
	write(join(root, "log", "ccg.log"), "no memory\n");
	const native = write(join(nativeMemoryFolder(claude, cwd), "topic.md"), "one\ntwo");
	const files = listMemory(root, claude, cwd);
	expect(files.map(({ scope, name, path }) => [scope, name, path])).toEqual([
		["project", "MEMORY.md", join(folder, "MEMORY.md")],
		["project", "log/2026-01-31.md", join(folder, "log/2026-01-31.md")],
		["global", "global/MEMORY.md", join(root, "MEMORY.md")],
		["claude", "claude/topic.md", native],
	]);
	expect(files[3]).toMatchObject({ notes: 1, bytes: 7, modified: statSync(native).mtime.toISOString() });
	expect(files[0]!.notes).toBe(1);
});
