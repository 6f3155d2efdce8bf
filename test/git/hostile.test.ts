import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { parseConfig, setting } from "../../src/git/config.ts";
import { inflate, inflateBounded } from "../../src/git/inflate.ts";
import { openObjects } from "../../src/git/objects.ts";
import { ownStatus, repository } from "./fixture.ts";

/** The same numbers in each run. */
function numbers(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

describe("streams", () => {
	test.each([0, 1, 9])("what zlib packs at level %i is unpacked, with anything behind it", (level) => {
		const random = numbers(level + 1);
		for (const size of [0, 1, 100, 5_000, 70_000]) {
			const text = Buffer.from(Array.from({ length: size }, () => Math.floor(random() ** 3 * 256)));
			const packed = Buffer.concat([deflateSync(text, { level }), Buffer.from("behind")]);
			for (const unpack of [inflate, inflateBounded]) {
				expect(unpack(packed, size + 10).equals(text)).toBe(true);
				expect(unpack(packed, size >> 1).equals(text.subarray(0, size >> 1))).toBe(true);
			}
			if (size > 1) expect(() => inflateBounded(packed.subarray(0, packed.length >> 1), size)).toThrow();
		}
	});

	test("one that unpacks to much more than was said ends where it was said", () => {
		const bomb = deflateSync(Buffer.alloc(200 * 1024 * 1024));
		expect(inflateBounded(bomb, 1_000)).toHaveLength(1_000);
	});

	test("damaged ones throw or give something, and end", () => {
		const random = numbers(7);
		const sound = deflateSync(Buffer.from("tree 0 of some words ".repeat(200)));
		for (let i = 0; i < 500; i++) {
			const bytes = Buffer.from(sound);
			for (let n = 0; n < 3; n++) bytes[2 + Math.floor(random() * (bytes.length - 2))] = Math.floor(random() * 256);
			try {
				expect(inflateBounded(bytes, 10_000).length).toBeLessThanOrEqual(10_000);
			} catch (error) {
				expect(error).toBeInstanceOf(Error);
			}
		}
	});
});

test.each(["index", "HEAD", "config", "objects/pack"])("a damaged %s costs the status at most", (name) => {
	const place = repository();
	for (let i = 0; i < 30; i++) place.write(`many/${i}`, `${i}\n`.repeat(i));
	place.git("add", "-A");
	place.git("commit", "-qm", "many");
	place.git("gc", "-q");
	place.git("rm", "-q", "--cached", "many/3");
	const pack = /pack-\w+(?=\.idx)/.exec(place.git("count-objects", "-v") && readPacks(place.top))?.[0];
	const files = name === "objects/pack" ? ["idx", "pack"].map((end) => `objects/pack/${pack}.${end}`) : [name];
	const random = numbers(11);
	for (const file of files) {
		const path = join(place.top, ".git", file);
		place.git("status");
		const sound = readFileSync(path);
		for (let i = 0; i < 60; i++) {
			const bytes = Buffer.from(sound.subarray(0, i % 5 ? sound.length : Math.floor(random() * sound.length)));
			for (let n = 0; n < 4; n++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
			replace(path, bytes);
			const found = ownStatus(place.top, place.home);
			expect(found === null || Array.isArray(found.lines)).toBe(true);
		}
		replace(path, sound);
	}
});

test("objects that are changes to one another end", () => {
	const place = repository();
	const objects = openObjects(join(place.top, ".git"));
	expect(objects.read("0".repeat(40))).toBeNull();
	expect(objects.read(place.git("rev-parse", "HEAD").trim())?.type).toBe("commit");
	objects.close();
});

test.each<[string, string, string | undefined]>([
	["[core]\n\tworktree = /a # b", "core.worktree", "/a"],
	['[core] worktree = "/a # b" ; c', "core.worktree", "/a # b"],
	["[CORE]\nWorkTree=/a\\\n/b", "core.worktree", "/a/b"],
	['[submodule "Li.b"]\npath = x', "submodule.Li.b.path", "x"],
	["[core]\nbare", "core.bare", ""],
	["bare = true", "core.bare", undefined],
	["[core]\na = 1\n[core]\na = 2", "core.a", "2"],
	["[core\na = 1", "core.a", undefined],
	['[core]\na = "x\\"y\\\\z"', "core.a", 'x"y\\z'],
])("a configuration as git reads it: %j", (text, name, value) => expect(setting(parseConfig(text), name)).toBe(value));

function readPacks(top: string): string {
	return new Bun.Glob("*.idx").scanSync(join(top, ".git/objects/pack")).next().value ?? "";
}

function replace(path: string, bytes: Buffer): void {
	// git makes packs that are read only
	chmodSync(path, 0o644);
	writeFileSync(path, bytes);
}
