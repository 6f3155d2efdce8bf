import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { notesNamed } from "../../src/memory/notes.ts";
import { memoryPath, othersOf } from "../../src/memory/notes-file.ts";
import { projectOf } from "../../src/store/project.ts";
import { changeForeign, conflicts, resolve } from "../../src/sync/conflicts.ts";
import { newId, newKeys, publicOf } from "../../src/sync/keys.ts";
import { write } from "../../src/sync/log.ts";
import { grantOf, keepSpace } from "../../src/sync/space.ts";
import { membersIn } from "../../src/sync/state.ts";
import { leave } from "../../src/sync/sync.ts";
import { factOf, openSync } from "../../src/sync/tables.ts";
import { machineAt, type TestMachine } from "../kit/sync-machines.ts";
import { scratch } from "../scratch-home.ts";

const PROJECT = "c".repeat(32);

/** Machines that share one project by a folder; the first made the space. */
async function machines(...names: string[]): Promise<TestMachine[]> {
	const base = scratch("machines");
	const folder = join(base, "shared");
	mkdirSync(folder);
	const [first, ...others] = names.map((name) => machineAt(base, name, folder)) as [TestMachine, ...TestMachine[]];
	await first.init();
	await first.share(["notes"], PROJECT);
	for (const one of others) {
		const code = await one.join();
		await one.share(["notes"], PROJECT);
		await first.sync();
		await first.confirm(code);
		await first.sync();
		await one.sync();
	}
	return [first, ...others];
}

const round = async (...some: TestMachine[]): Promise<void> => {
	for (const one of [...some, ...some]) await one.sync();
};

test("a note saved on one machine is told on the other, with machine, person and date", async () => {
	const [a, b] = (await machines("ann", "bob")) as [TestMachine, TestMachine];
	a.save("tests run with bun");
	a.save("a note\nof two lines");
	await round(a, b);
	expect(await b.foreign()).toEqual([
		expect.stringMatching(/^ann on .*: tests run with bun$/),
		expect.stringContaining("a note\nof two lines"),
	]);
	expect(b.shared()).toMatch(/^- ann on .*, \d{4}-\d\d-\d\d \d\d:\d\d UTC: tests run with bun$/m);
	expect(b.notes()).toEqual([]);
	expect(await a.foreign()).toEqual([]);
});

test("a change and a deletion reach the other machine; what was written there stays", async () => {
	const [a, b] = (await machines("ann", "bob")) as [TestMachine, TestMachine];
	for (const text of ["one", "two", "three"]) a.save(text);
	b.save("of bob");
	await round(a, b);
	a.edit("two", "two, changed");
	a.remove("three");
	await round(a, b);
	expect((await b.foreign()).map((one) => one.split(": ")[1])).toEqual(["one", "two, changed"]);
	expect(b.notes()).toEqual(["of bob"]);
	expect(await a.foreign()).toEqual([expect.stringContaining(": of bob")]);
});

test("two texts written at once are both kept, named, and settled by a command", async () => {
	const [a, b] = (await machines("ann", "bob")) as [TestMachine, TestMachine];
	a.save("the port is 1");
	await round(a, b);
	const [first] = await b.using((opened) =>
		import("../../src/sync/shared.ts").then(({ foreignNotes }) => foreignNotes(opened, PROJECT)),
	);
	const { put } = await import("../../src/sync/conflicts.ts");
	const { valuesOf } = await import("../../src/sync/state.ts");
	await b.using((opened) => put(opened, valuesOf(opened, first!.item), null, "the port is 2"));
	a.edit("port", "the port is 3");
	await round(a, b);
	for (const one of [a, b]) {
		const [found] = await one.using(conflicts);
		expect(found!.values.map(({ text }) => text).sort()).toEqual(["the port is 2", "the port is 3"]);
	}
	expect(a.shared()).toMatch(/beside your "the port is 3" \(ccg sync conflicts\): the port is 2/);
	expect([a.notes(), b.notes()]).toEqual([["the port is 3"], ["the port is 2"]]);
	await a.using((opened) => resolve(opened, conflicts(opened)[0]!.id, "theirs"));
	await round(a, b);
	expect([a.notes(), b.notes()]).toEqual([[], ["the port is 2"]]);
	expect(await a.using(conflicts)).toEqual([]);
});

test("both: one note with the two texts, here; the other machine has it from here", async () => {
	const [a, b] = (await machines("ann", "bob")) as [TestMachine, TestMachine];
	a.save("x");
	await round(a, b);
	const { put } = await import("../../src/sync/conflicts.ts");
	const { valuesOf } = await import("../../src/sync/state.ts");
	await b.using((opened) => put(opened, valuesOf(opened, "note:"), null, "x of bob"));
	a.edit("x", "x of ann");
	await round(a, b);
	await a.using((opened) => resolve(opened, conflicts(opened)[0]!.id, "both"));
	await round(a, b);
	expect(b.notes()).toEqual([]);
	expect(a.notes()).toHaveLength(1);
	expect(a.notes()[0]).toMatch(/x of ann \/ x of bob|x of bob \/ x of ann/);
	expect(await b.foreign()).toHaveLength(1);
});

const change = (one: TestMachine, text: string | null) =>
	one.using((opened) => {
		const [note] = notesNamed(othersOf(one.place).notes, "port");
		return changeForeign(opened, projectOf(one.project).key, note!, text);
	});

test("what two changed alike is one text: for a third one to change, and once in one that holds both", async () => {
	const [a, b, c] = (await machines("ann", "bob", "carol")) as [TestMachine, TestMachine, TestMachine];
	a.save("the port is 1");
	await round(a, b, c);
	const alike = async (): Promise<void> => {
		await change(b, "the port is 2");
		a.edit("port", "the port is 2");
	};
	await alike();
	await round(a, b, c, a);
	await change(c, "the port is 3");
	await round(c, a, b);
	expect([a, b, c].map((one) => one.notes())).toEqual([[], [], ["the port is 3"]]);
	await change(a, "the port is 4");
	await round(a, b, c);
	await change(c, "the port is 3");
	await alike();
	await round(a, b, c, a);
	await a.using((opened) => resolve(opened, conflicts(opened)[0]!.id, "both"));
	expect(a.notes()).toEqual([expect.stringMatching(/^the port is (?:2 \/ the port is 3|3 \/ the port is 2)$/)]);
});

test("two change a third one's note at once: it goes there, and both texts are kept until one decides", async () => {
	const [a, b, c] = (await machines("ann", "bob", "carol")) as [TestMachine, TestMachine, TestMachine];
	a.save("the port is 1");
	await round(a, b, c);
	b.save("the host is x");
	await change(b, "the port is 2");
	await change(c, "the port is 3");
	await round(a, b, c, a);
	expect([a, b, c].map((one) => one.notes())).toEqual([[], ["the host is x", "the port is 2"], ["the port is 3"]]);
	expect((await a.foreign()).map((one) => one.split(": ")[1]).sort()).toEqual([
		...["the host is x", "the port is 2", "the port is 3"],
	]);
	await expect(change(a, null)).rejects.toThrow("ccg sync conflicts");
	await a.using((opened) => resolve(opened, conflicts(opened)[0]!.id, "both"));
	await round(a, b, c, a);
	expect([a, b, c].map((one) => one.notes().length)).toEqual([1, 1, 0]);
	expect(a.notes()[0]).toMatch(/port is (?:2 \/ the port is 3|3 \/ the port is 2)/);
});

test("a note of which nothing stands stays in the file and is said again", async () => {
	const [a, b] = (await machines("ann", "bob")) as [TestMachine, TestMachine];
	a.save("kept");
	await round(a, b);
	// as where it was sealed with a key that is none, or written by whom another made a reader meanwhile
	for (const one of [a, b]) await one.using(({ rows }) => rows.run("DELETE FROM live WHERE item LIKE 'note:%'"));
	await round(a, b);
	expect(a.notes()).toEqual(["kept"]);
	expect(await b.foreign()).toHaveLength(1);
});

test("a MEMORY.md that is gone as a whole is no deletion", async () => {
	const [a, b] = (await machines("ann", "bob")) as [TestMachine, TestMachine];
	a.save("kept");
	await round(a, b);
	rmSync(memoryPath(a.place));
	await round(a, b);
	expect(await b.foreign()).toHaveLength(1);
});

test("a MEMORY.md that comes back brings nothing back that others changed or deleted meanwhile", async () => {
	const [a, b] = (await machines("ann", "bob")) as [TestMachine, TestMachine];
	for (const text of ["kept", "the port is 1", "the port of x"]) a.save(text);
	await round(a, b);
	const path = memoryPath(a.place);
	const before = readFileSync(path);
	rmSync(path);
	await a.sync();
	expect(await a.foreign()).toHaveLength(3);
	await change(b, "the port is 2");
	await b.sync();
	await change(b, null);
	await round(b, a);
	writeFileSync(path, before);
	await round(a, b);
	expect([a.notes(), b.notes()]).toEqual([["kept"], ["the port is 2"]]);
	expect([await a.foreign(), await b.foreign()]).toEqual([
		[expect.stringContaining("the port is 2")],
		[expect.stringContaining("kept")],
	]);
});

test("who could not tell the others that it leaves tells them with the next try", async () => {
	const [a, b] = (await machines("ann", "bob")) as [TestMachine, TestMachine];
	b.save("of bob");
	await round(a, b);
	await b.using(async (opened) => {
		const open = b.carrier(opened);
		const full = async () => ({ ...(await open()), append: () => Promise.reject(new Error("no space left")) });
		await expect(leave(opened, full)).rejects.toThrow("no space left");
		await leave(opened, open);
	});
	await a.sync();
	expect(await a.foreign()).toEqual([]);
	expect(await a.using((opened) => [...membersIn(opened).values()].map(({ role }) => role))).toEqual(["owner", "none"]);
});

test("a code that was mistyped, or made of other keys, takes nobody in", async () => {
	const [a] = (await machines("ann")) as [TestMachine];
	const b = machineAt(join(a.home, ".."), "bob", join(a.home, "..", "shared"));
	const code = await b.join();
	await expect(a.confirm(code.replace(/^./, (c) => (c === "2" ? "3" : "2")))).rejects.toThrow(/no machine asks/);
	expect((await b.sync()).role).toBe("none");
	await a.confirm(code.toUpperCase().replaceAll("-", " "));
	await a.sync();
	expect((await b.sync()).role).not.toBe("none");
});

test("sealed: no text at all stands in the carrier", async () => {
	const base = scratch("sealed");
	const folder = join(base, "shared");
	mkdirSync(folder);
	const [a, b] = ["ann", "bob"].map((name) => machineAt(base, name, folder)) as [TestMachine, TestMachine];
	await a.init(true);
	await a.share(["notes"], PROJECT);
	a.save("the plan is a secret garden");
	await a.sync();
	const code = await b.join();
	await b.share(["notes"], PROJECT);
	await a.confirm(code);
	await round(a, b);
	expect(await b.foreign()).toEqual([expect.stringContaining("secret garden")]);
	const { execFileSync } = await import("node:child_process");
	expect(() => execFileSync("grep", ["-r", "garden", folder])).toThrow();
});

test("what a space is known by is read as it was kept, whatever its keys look like", () => {
	const { rows, close } = openSync(join(scratch("facts"), "sync.sqlite"), true)!;
	for (let i = 0; i < 1_000; i++) {
		const space = { id: newId(), root: publicOf(newKeys()), nonce: newId() };
		keepSpace(rows, space, "/folder");
		expect(factOf(rows, "space")).toEqual(space);
	}
	close();
});

test("of two owners that leave the second one learns first that it is the last", async () => {
	const [a, b, c] = (await machines("ann", "bob", "carol")) as [TestMachine, TestMachine, TestMachine];
	const third = await c.using(({ machine }) => machine);
	await a.using((opened) => {
		const { keys, ...named } = membersIn(opened).get(third)!;
		write(opened, null, [grantOf(opened, { ...named, ...keys }, "writer")]);
	});
	await round(a, b, c);
	const away = (one: TestMachine) => one.using((opened) => leave(opened, one.carrier(opened)));
	await away(a);
	await expect(away(b)).rejects.toThrow(/^no owner would be left/);
	expect((await b.sync()).role).toBe("owner");
});
