import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { changeSettings } from "../../src/install/settings-file.ts";
import { readSettled } from "../../src/install/settings-read.ts";
import { scratch } from "../scratch-home.ts";

const FAST = { betweenReadsMs: 2, patienceMs: 60, settleMs: 10, giveUpMs: 200 };
const put = (target: string, text: string) => changeSettings({ target, edit: () => text, mode: 0o600, timing: FAST });

describe("reading", () => {
	it("waits out a torn file", async () => {
		const path = join(scratch(), "settings.json");
		writeFileSync(path, '{"a": ');
		const reading = readSettled(path, { ...FAST, patienceMs: 2000 });
		await sleep(30);
		writeFileSync(path, '{"a": 1}');
		expect(await reading).toBe('{"a": 1}');
	});

	it.each([
		["0 bytes", ""],
		["cut off", '{\n  "a": '],
		["an array", "[]"],
		["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
	])("refuses what stays unreadable: %s", async (_, bytes) => {
		const path = join(scratch(), "settings.json");
		writeFileSync(path, bytes);
		await expect(readSettled(path, FAST)).rejects.toThrow(expect.objectContaining({ code: "SETTINGS_INVALID" }));
		await expect(put(path, "{}")).rejects.toThrow(path);
		expect(readFileSync(path)).toEqual(Buffer.from(bytes));
	});

	it("refuses a folder, keeps a byte order mark, knows a missing file", async () => {
		const folder = scratch();
		await expect(readSettled(folder, FAST)).rejects.toThrow("not a regular file");
		writeFileSync(join(folder, "bom.json"), "\uFEFF{}");
		expect(await readSettled(join(folder, "bom.json"), FAST)).toBe("\uFEFF{}");
		expect(await readSettled(join(folder, "none.json"), FAST)).toBeNull();
	});
});
