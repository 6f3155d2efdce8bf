import {
	chmodSync,
	chownSync,
	closeSync,
	existsSync,
	ftruncateSync,
	lstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	statSync,
	symlinkSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { catalog } from "../../src/install/catalog.ts";
import { changeSettings } from "../../src/install/settings-file.ts";
import { realTarget } from "../../src/install/settings-path.ts";
import { readSettled, TIMING } from "../../src/install/settings-read.ts";
import { addEntries, findEntries } from "../../src/install/settings-text.ts";
import { startBun } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";
import { ENTRIES } from "./shapes.ts";

const FAST = { betweenReadsMs: 2, patienceMs: 60, settleMs: 10, giveUpMs: 200 };
const install = (launcher: string) => (text: string | null) => addEntries(text ?? "{}\n", catalog(launcher));
const put = (target: string, text: string) => changeSettings({ target, edit: () => text, mode: 0o600, timing: FAST });

describe("links", () => {
	const cases: [string, (folder: string) => { link: string; target: string }][] = [
		[
			"absolute",
			(folder) => {
				writeFileSync(join(folder, "dot/real.json"), '{"a": 1}');
				symlinkSync(join(folder, "dot/real.json"), join(folder, "home/settings.json"));
				return { link: join(folder, "home/settings.json"), target: join(folder, "dot/real.json") };
			},
		],
		[
			"relative",
			(folder) => {
				writeFileSync(join(folder, "dot/real.json"), '{"a": 1}');
				symlinkSync("../dot/real.json", join(folder, "home/settings.json"));
				return { link: join(folder, "home/settings.json"), target: join(folder, "dot/real.json") };
			},
		],
		[
			"dangling, through a second link, into a folder that is missing",
			(folder) => {
				symlinkSync("../dot/hop.json", join(folder, "home/settings.json"));
				symlinkSync("deep/new.json", join(folder, "dot/hop.json"));
				return { link: join(folder, "home/settings.json"), target: join(folder, "dot/deep/new.json") };
			},
		],
		[
			"the folder is the link",
			(folder) => {
				symlinkSync("dot", join(folder, "config"));
				return { link: join(folder, "config/settings.json"), target: join(folder, "dot/settings.json") };
			},
		],
	];
	it.each(cases)("%s: the target is written, the link stays", async (_, make) => {
		const folder = scratch("links");
		mkdirSync(join(folder, "home"));
		mkdirSync(join(folder, "dot"));
		const { link, target } = make(folder);
		expect(realTarget(link)).toBe(target);
		const before = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(link) : null;
		await put(realTarget(link), '{"b": 2}');
		expect(readFileSync(target, "utf8")).toBe('{"b": 2}');
		expect(readFileSync(link, "utf8")).toBe('{"b": 2}');
		if (before !== null) expect(readlinkSync(link)).toBe(before);
	});

	it("in a circle are an error", () => {
		const folder = scratch("circle");
		symlinkSync("b", join(folder, "a"));
		symlinkSync("a", join(folder, "b"));
		expect(() => realTarget(join(folder, "a"))).toThrow("too many symbolic links");
	});
});

describe("writing", () => {
	it.each([0o600, 0o644, 0o664, 0o640])("keeps the permission bits %o", async (mode) => {
		const path = join(scratch(), "settings.json");
		writeFileSync(path, "{}");
		chmodSync(path, mode);
		await put(path, '{"a":1}');
		expect(statSync(path).mode & 0o7777).toBe(mode);
	});

	it.runIf(process.getuid?.() === 0)("keeps the owner", async () => {
		const path = join(scratch(), "settings.json");
		writeFileSync(path, "{}");
		chownSync(path, 12345, 23456);
		await put(path, '{"a":1}');
		expect(statSync(path)).toMatchObject({ uid: 12345, gid: 23456 });
	});

	it("leaves no other file behind, and nothing at all when there is nothing to do", async () => {
		const folder = scratch();
		const path = join(folder, "settings.json");
		expect(await put(path, "{}")).toBe(true);
		const { ino, mtimeMs } = statSync(path);
		expect(await put(path, "{}")).toBe(false);
		expect(statSync(path)).toMatchObject({ ino, mtimeMs });
		expect(readdirSync(folder)).toEqual(["settings.json"]);
	});

	it("refuses a file marked read-only", async () => {
		const folder = scratch();
		const path = join(folder, "settings.json");
		writeFileSync(path, "{}");
		chmodSync(path, 0o444);
		await expect(put(path, '{"a":1}')).rejects.toThrow(expect.objectContaining({ code: "SETTINGS_READONLY" }));
		expect(readFileSync(path, "utf8")).toBe("{}");
		expect(readdirSync(folder)).toEqual(["settings.json"]);
	});

	it.runIf(existsSync("/sys/kernel"))("names a place nobody can write to", async () => {
		await expect(put("/sys/ccg-test.json", "{}")).rejects.toThrow(
			expect.objectContaining({ code: "SETTINGS_READONLY", message: expect.stringContaining("/sys/ccg-test.json") }),
		);
	});

	it("does the edit again when the file changed right before the swap", async () => {
		const path = join(scratch(), "settings.json");
		writeFileSync(path, '{"a":1}');
		// on a slow disk a rival comes in between many times in a row
		let rivals = 25;
		await changeSettings({
			target: path,
			edit: install("/opt/ccg"),
			mode: 0o600,
			timing: { ...FAST, giveUpMs: 20_000 },
			beforeWrite: () => rivals-- > 0 && writeFileSync(path, `{"a":1,"r":${rivals}}`),
		});
		const text = readFileSync(path, "utf8");
		expect(JSON.parse(text)).toMatchObject({ a: 1, r: 0 });
		expect(findEntries(text)).toHaveLength(ENTRIES);
	});

	it("gives up on a file that never stands still, with the other program's text in place", async () => {
		const path = join(scratch(), "settings.json");
		writeFileSync(path, "{}");
		let round = 0;
		const beforeWrite = () => writeFileSync(path, `{"round":${++round}}`);
		const change = changeSettings({ target: path, edit: install("/opt/ccg"), mode: 0o600, timing: FAST, beforeWrite });
		await expect(change).rejects.toThrow(expect.objectContaining({ code: "SETTINGS_BUSY" }));
		expect(readFileSync(path, "utf8")).toBe(`{"round":${round}}`);
		expect(readdirSync(join(path, ".."))).toEqual(["settings.json"]);
	});

	it("does it again when a rival's later write undid it", async () => {
		const path = join(scratch(), "settings.json");
		writeFileSync(path, '{"a":1}');
		const change = changeSettings({
			target: path,
			edit: install("/opt/ccg"),
			mode: 0o600,
			timing: { ...FAST, settleMs: 60 },
		});
		while (findEntries(readFileSync(path, "utf8")).length === 0) await sleep(1);
		writeFileSync(path, '{"a":1,"rival":true}');
		await change;
		expect(JSON.parse(readFileSync(path, "utf8")).rival).toBe(true);
		expect(findEntries(readFileSync(path, "utf8"))).toHaveLength(ENTRIES);
	});

	it("takes over what a rival writes into the file it had opened before the swap", async () => {
		const path = join(scratch(), "settings.json");
		writeFileSync(path, '{"a":1}');
		const fd = openSync(path, "r+");
		const based: (string | null)[] = [];
		const change = changeSettings({
			target: path,
			edit: install("/opt/ccg"),
			mode: 0o600,
			timing: { ...FAST, settleMs: 60 },
			beforeWrite: (before) => based.push(before),
		});
		while (findEntries(readFileSync(path, "utf8")).length === 0) await sleep(1);
		ftruncateSync(fd, 0);
		await sleep(5);
		writeSync(fd, '{"a":1,"rival":true}', 0);
		closeSync(fd);
		await change;
		expect(JSON.parse(readFileSync(path, "utf8")).rival).toBe(true);
		expect(findEntries(readFileSync(path, "utf8"))).toHaveLength(ENTRIES);
		expect(based, "the receipt is about the rival's text").toEqual(['{"a":1}', '{"a":1,"rival":true}']);
	});

	it("a failing backup leaves the file alone", async () => {
		const path = join(scratch(), "settings.json");
		writeFileSync(path, "{}");
		const beforeWrite = () => {
			throw new Error("no backup");
		};
		const change = changeSettings({ target: path, edit: install("/opt/ccg"), mode: 0o600, timing: FAST, beforeWrite });
		await expect(change).rejects.toThrow("no backup");
		expect(readFileSync(path, "utf8")).toBe("{}");
	});
});

it("loses no key of a program that keeps rewriting the file, in up to 50 installs", { timeout: 120_000 }, async () => {
	const folder = scratch("rival");
	const path = join(folder, "settings.json");
	writeFileSync(
		path,
		JSON.stringify({
			foreign: { deep: ["kept"] },
			hooks: { Stop: [{ hooks: [{ type: "command", command: "theirs" }] }] },
		}),
	);
	const rival = startBun([join(import.meta.dirname, "rival-writer.ts"), path, join(folder, "stop"), "40"]);
	let said = "";
	rival.stdout.on("data", (chunk) => {
		said += chunk;
	});
	try {
		while (!said.includes("ready")) await sleep(5);
		// on a busy machine fewer: each may take the 15 s of a race
		const until = Date.now() + 20_000;
		for (let round = 0; round < 50 && (round < 3 || Date.now() < until); round++) {
			const launcher = `/round-${round}/bin/ccg`;
			await changeSettings({ target: path, edit: install(launcher), mode: 0o600, timing: TIMING });
			const found = findEntries((await readSettled(path)) ?? "");
			expect(found.map((entry) => entry.launcher)).toEqual(Array(ENTRIES).fill(launcher));
		}
	} finally {
		writeFileSync(join(folder, "stop"), "");
		await rival;
	}
	const count = Number(said.split("\n")[1]);
	const settings = JSON.parse(readFileSync(path, "utf8"));
	expect(count).toBeGreaterThan(10);
	expect(Object.keys(settings.rival)).toHaveLength(count);
	expect(settings.foreign).toEqual({ deep: ["kept"] });
	expect(settings.hooks.Stop[0]).toEqual({ hooks: [{ type: "command", command: "theirs" }] });
	expect(readdirSync(folder).sort()).toEqual(["settings.json", "stop"]);
});
