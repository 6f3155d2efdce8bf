import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failed } from "../kit/ccg.ts";
import { joinsFor, twoHomes } from "../kit/sync-commands.ts";

/** Two homes that share a project by a folder; ann wrote a note, which bob has. */
async function homes(...role: string[]) {
	const { place, ann, bob } = twoHomes("notes");
	await ann.ccg("memory", "save", "tests run with bun");
	const id = await ann.init(place);
	await joinsFor(id, ann, bob, ...role);
	const round = async (): Promise<void> => {
		for (const one of [bob, ann, bob]) expect(await one.ccg("sync", "now")).toMatchObject({ code: 0, err: "" });
	};
	return { ann, bob, round };
}

test("a note of another machine is edited by its text: it is this one's then, there and here", async () => {
	const { ann, bob, round } = await homes();
	const edited = await bob.ccg("memory", "edit", "tests run", "tests run with node");
	expect(edited).toMatchObject({ code: 0, out: expect.stringContaining("tests run with bun") });
	expect(bob.memory()).toMatch(/\n- tests run with node\n$/);
	// at once, not with the next exchange
	expect(bob.shared()).not.toContain("tests run");
	await round();
	expect(ann.memory()).not.toContain("tests run");
	expect(ann.shared()).toMatch(/^- bob on .*: tests run with node$/m);
	// and back
	expect(await ann.ccg("memory", "edit", "1", "tests run with deno")).toMatchObject({ code: 0 });
	await round();
	expect([ann.memory(), bob.memory()]).toEqual([
		expect.stringContaining("tests run with deno"),
		expect.not.stringContaining("tests run"),
	]);
	expect(await bob.json("sync", "conflicts")).toEqual([]);
});

test("it is deleted by its number as listed, which is asked for, and goes everywhere", async () => {
	const { ann, bob, round } = await homes();
	await bob.ccg("memory", "save", "of bob");
	expect((await bob.json("memory", "list")).map(({ number }: { number: number }) => number)).toEqual([1, 2]);
	expect(await bob.ccg("memory", "delete", "2")).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
	const gone = await bob.ccg("memory", "delete", "2", "--yes");
	expect(gone).toMatchObject({ code: 0, out: expect.stringContaining("tests run with bun") });
	await round();
	expect(ann.memory()).not.toContain("tests run");
	expect((await ann.json("memory", "list")).map(({ text }: { text: string }) => text)).toEqual([
		expect.stringMatching(/^- bob on .*: of bob$/),
	]);
});

test.each([
	["a text", ["memory", "edit", "1", "of bob"], "of bob"],
	["a deletion", ["memory", "delete", "1", "--yes"], null],
])("what was changed there meanwhile is kept beside %s, and told as a conflict", async (_, given, text) => {
	const { ann, bob, round } = await homes();
	expect((await bob.ccg(...given)).code).toBe(0);
	expect((await ann.ccg("memory", "edit", "1", "of ann")).code).toBe(0);
	await round();
	for (const one of [ann, bob]) {
		const [{ values }] = await one.json("sync", "conflicts");
		expect(values.map((value: { text: unknown }) => value.text)).toEqual(expect.arrayContaining(["of ann", text]));
	}
	expect(ann.memory()).toContain("of ann");
	// one that is in conflict is decided, not changed
	const again = await bob.ccg("memory", "edit", "of ann", "third");
	expect(again).toMatchObject(failed("ccg sync conflicts"));
});

test("a reader, a project that is not shared from here, and a note that says it already: nothing is written", async () => {
	const { bob, round } = await homes("--role", "reader");
	for (const args of [
		["memory", "edit", "1", "x"],
		["memory", "delete", "1", "--yes"],
	])
		expect(await bob.ccg(...args)).toMatchObject(failed("may only read"));
	await round();
	expect(() => bob.memory()).toThrow();
	const { ann, bob: carol } = await homes();
	await carol.ccg("memory", "save", "of carol");
	expect(await carol.ccg("memory", "edit", "2", "of carol")).toMatchObject(failed("the file has it as note 1"));
	expect(await carol.ccg("memory", "edit", "2", "--to", "global")).toMatchObject(failed("another machine's"));
	expect(carol.memory()).not.toContain("bun");
	await ann.ccg("sync", "now");
	expect(ann.memory()).toContain("tests run with bun");
	expect(existsSync(join(carol.store, "MEMORY.md"))).toBe(false);
});
