import {
	chmodSync,
	chownSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { catalog } from "../../src/install/catalog.ts";
import { parseEntries } from "../../src/install/entries.ts";
import { changeSettings, readWhenParsable, type SettingsChange } from "../../src/install/settings-file.ts";
import { realTarget } from "../../src/install/settings-sources.ts";
import { addCcgEntries } from "../../src/install/settings-text.ts";
import { scratch } from "../scratch-home.ts";

const put = (target: string, text: string) => changeSettings({ target, edit: () => text, mode: 0o600 });

/** A settings file of this text, and an install into it. */
function world(text: string | Uint8Array = "{}") {
	const folder = scratch("settings");
	const path = join(folder, "settings.json");
	writeFileSync(path, text);
	const read = () => readFileSync(path, "utf8");
	const install = (more: Partial<SettingsChange>) =>
		changeSettings({
			target: path,
			edit: (before) => addCcgEntries(before ?? "{}\n", catalog("/opt/ccg")),
			mode: 0o600,
			...more,
		});
	return { folder, path, read, install };
}

test.each<[string, Record<string, string>, link: string, target: string]>([
	["absolute", { "home/settings.json": "/dot/real.json" }, "home/settings.json", "dot/real.json"],
	["relative", { "home/settings.json": "../dot/real.json" }, "home/settings.json", "dot/real.json"],
	[
		"dangling, through a second one, into a folder that is missing",
		{ "home/settings.json": "../dot/hop.json", "dot/hop.json": "deep/new.json" },
		"home/settings.json",
		"dot/deep/new.json",
	],
	["of the folder", { config: "dot" }, "config/settings.json", "dot/settings.json"],
])("a link, %s: the target is written, the link stays", async (_, links, link, target) => {
	const folder = scratch("links");
	for (const name of ["home", "dot"]) mkdirSync(join(folder, name));
	writeFileSync(join(folder, "dot/real.json"), '{"a": 1}');
	for (const [name, to] of Object.entries(links))
		symlinkSync(to.startsWith("/") ? join(folder, to) : to, join(folder, name));
	expect(realTarget(join(folder, link))).toBe(join(folder, target));
	await put(realTarget(join(folder, link)), '{"b": 2}');
	for (const path of [link, target]) expect(readFileSync(join(folder, path), "utf8")).toBe('{"b": 2}');
	for (const name of Object.keys(links)) expect(lstatSync(join(folder, name)).isSymbolicLink()).toBe(true);
});

test("links in a circle are an error", () => {
	const folder = scratch("circle");
	symlinkSync("b", join(folder, "a"));
	symlinkSync("a", join(folder, "b"));
	expect(() => realTarget(join(folder, "a"))).toThrow("too many symbolic links");
});

test("reading waits out a torn file, and knows a missing one", async () => {
	const { folder, path } = world('{"a": ');
	const reading = readWhenParsable(path);
	await sleep(30);
	writeFileSync(path, '\uFEFF{"a": 1}');
	expect(await reading).toBe('\uFEFF{"a": 1}');
	await expect(readWhenParsable(folder)).rejects.toThrow("not a regular file");
	expect(await readWhenParsable(join(folder, "none.json"))).toBeNull();
});

test("a blank file is one that stays blank", async () => {
	const { path } = world("");
	const reading = readWhenParsable(path);
	await sleep(30);
	writeFileSync(path, '{"a":1}');
	expect(await reading).toBe('{"a":1}');
	writeFileSync(path, "\n");
	expect(await readWhenParsable(path)).toBe("\n");
	expect(await put(path, '{"b":1}')).toBe(true);
	expect(readFileSync(path, "utf8")).toBe('{"b":1}');
});

test.each([
	["cut off", '{\n  "a": '],
	["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
])("what stays unreadable is refused, and keeps its bytes: %s", async (_, bytes) => {
	const { path } = world(bytes);
	await expect(put(path, "{}")).rejects.toThrow(expect.objectContaining({ code: "SETTINGS_INVALID" }));
	expect(readFileSync(path)).toEqual(Buffer.from(bytes));
});

test("writing keeps permission bits and owner, and leaves nothing else behind", async () => {
	for (const mode of [0o600, 0o644, 0o664, 0o640]) {
		const { path, folder } = world();
		chmodSync(path, mode);
		if (process.getuid?.() === 0) chownSync(path, 12345, 23456);
		expect(await put(path, '{"a":1}')).toBe(true);
		const { uid, gid, ino } = statSync(path);
		expect(statSync(path).mode & 0o7777).toBe(mode);
		if (process.getuid?.() === 0) expect([uid, gid]).toEqual([12345, 23456]);
		expect(await put(path, '{"a":1}')).toBe(false);
		expect([statSync(path).ino, readdirSync(folder)]).toEqual([ino, ["settings.json"]]);
	}
});

test("the edit is done again when the file changed right before the swap", async () => {
	const { path, read, install } = world('{"a":1}');
	let rivals = 25;
	const beforeWrite = () => void (rivals-- > 0 && writeFileSync(path, `{"a":1,"r":${rivals}}`));
	await install({ beforeWrite });
	expect(JSON.parse(read())).toMatchObject({ a: 1, r: 0 });
	expect(parseEntries(read())).toHaveLength(catalog("/opt/ccg").hooks.length + 1);
});

test("it is given up on a file that never stands still, with the other program's text in place", async () => {
	const { folder, path, read, install } = world();
	let round = 0;
	const change = install({ beforeWrite: () => writeFileSync(path, `{"round":${++round}}`) });
	await expect(change).rejects.toThrow(expect.objectContaining({ code: "SETTINGS_BUSY" }));
	expect([read(), readdirSync(folder)]).toEqual([`{"round":${round}}`, ["settings.json"]]);
});
