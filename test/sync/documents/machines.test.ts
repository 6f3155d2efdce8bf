import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { leave, takeFrom } from "../../../src/sync/documents/members.ts";
import { machineAt, membersAt, syncAll, type TestMachine } from "../../kit/sync-machines.ts";
import { scratch } from "../../scratch-home.ts";

async function three(isEncrypted = false) {
	const base = scratch("machines");
	const folder = join(base, "shared");
	mkdirSync(folder);
	const [ann, bob, cid] = (await membersAt(base, folder, ["ann", "bob", "cid"], isEncrypted)) as [
		TestMachine,
		TestMachine,
		TestMachine,
	];
	return {
		base,
		folder,
		all: [ann, bob, cid],
		ann,
		bob,
		cid,
		fileOf: (one: TestMachine) => join(folder, "ccg-sync", one.id()),
	};
}

test.each([false, true])("what one says all are told, edits and deletions too; encrypted: %s", async (isEncrypted) => {
	const { all, ann, bob, cid, fileOf } = await three(isEncrypted);
	ann.save("the harbour closes at nine");
	bob.save("use tabs");
	await syncAll(all);
	expect([ann.foreign(), bob.foreign(), cid.foreign().sort()]).toEqual([
		["use tabs"],
		["the harbour closes at nine"],
		["the harbour closes at nine", "use tabs"],
	]);
	expect(bob.shared()).toMatch(/^- ann on [^,]+, \d{4}-\d\d-\d\d \d\d:\d\d UTC: the harbour closes at nine$/m);
	expect(readFileSync(fileOf(ann), "latin1").includes("age1")).toBe(isEncrypted);
	ann.edit("harbour", "the harbour closes at ten");
	bob.remove("tabs");
	await syncAll(all);
	expect([ann.foreign(), cid.foreign()]).toEqual([[], ["the harbour closes at ten"]]);
});

test("nothing new: nobody writes, and no document is read", async () => {
	const { all, ann, fileOf } = await three();
	ann.save("one");
	await syncAll(all, 4);
	const bytes = all.map((one) => readFileSync(fileOf(one), "latin1"));
	for (const one of all) expect(await one.sync()).toMatchObject({ received: 0, isSent: false, problems: [] });
	expect(all.map((one) => readFileSync(fileOf(one), "latin1"))).toEqual(bytes);
});

test("a note that another machine changed or deleted is kept beside, with who did it, and nothing is remembered for ever", async () => {
	const { all, ann, bob, cid } = await three();
	ann.save("the port is 8080");
	ann.save("deploys are on Friday");
	ann.save("mine alone");
	await syncAll(all);
	await bob.change("port is 8080", "the port is 9090");
	await cid.change("Friday", null);
	await syncAll(all, 5);
	expect(ann.notes()).toEqual(["mine alone"]);
	expect(ann.foreign()).toEqual(["the port is 9090"]);
	expect(ann.replaced()).toMatch(/- bob on .* UTC, replaced it with "the port is 9090": the port is 8080\n/);
	expect(ann.replaced()).toMatch(/- cid on .* UTC, deleted it: deploys are on Friday\n/);
	expect([bob.notes(), bob.foreign()]).toEqual([["the port is 9090"], ["mine alone"]]);
	for (const one of all) {
		const { values } = await one.own();
		expect(values.filter(({ text, replaces }) => text === null || replaces.length > 0)).toEqual([]);
	}
});

test("two texts at the same time are both kept, and somebody decides", async () => {
	const { all, ann, bob, cid } = await three();
	ann.save("the port is 8080");
	await syncAll(all);
	await bob.change("port is 8080", "the port is 9090");
	ann.edit("port is 8080", "the port is 7070");
	await syncAll(all);
	expect([ann.notes(), ann.foreign()]).toEqual([["the port is 7070"], ["the port is 9090"]]);
	expect([bob.notes(), bob.foreign()]).toEqual([["the port is 9090"], ["the port is 7070"]]);
	expect(cid.foreign().sort()).toEqual(["the port is 7070", "the port is 9090"]);
	expect(ann.shared()).toContain('beside your "the port is 7070" (ccg sync conflicts)');
	const [one] = await ann.conflicts();
	await ann.resolve(one!.id, "mine");
	await syncAll(all, 5);
	expect([ann.notes(), bob.notes(), bob.foreign(), cid.foreign()]).toEqual([
		["the port is 7070"],
		[],
		["the port is 7070"],
		["the port is 7070"],
	]);
	for (const machine of all) expect(await machine.conflicts()).toEqual([]);
});

test("more than five of one's notes at once wait for a yes, and a start tells so", async () => {
	const { all, ann, bob } = await three();
	for (let i = 0; i < 7; i++) ann.save(`fact ${i}`);
	await syncAll(all);
	for (let i = 0; i < 7; i++) await bob.change(`fact ${i}`, null);
	await bob.sync();
	expect(await ann.sync()).toMatchObject({
		taken: 0,
		waiting: [expect.stringMatching(/^7 notes of yours .*\(bob on /)],
	});
	expect([ann.notes().length, ann.replaced()]).toEqual([7, ""]);
	expect(ann.shared()).toContain(
		"ccg: other machines replaced or deleted 7 notes of MEMORY.md, which stay until the user says yes",
	);
	const waiting = await ann.conflicts();
	expect(waiting).toHaveLength(7);
	await ann.resolve(waiting.find(({ values }) => values.some(({ value }) => value.text === "fact 3"))!.id, "mine");
	expect(await ann.sync(true)).toMatchObject({ taken: 6, waiting: [] });
	expect(ann.notes()).toEqual(["fact 3"]);
	expect(ann.replaced().match(/deleted it: fact/g)).toHaveLength(6);
	await syncAll(all);
	expect(bob.foreign()).toEqual(["fact 3"]);
});

test("a MEMORY.md that is lost or cut takes nothing from the others without a yes", async () => {
	const { all, ann, bob } = await three();
	for (let i = 0; i < 7; i++) ann.save(`fact ${i}`);
	await syncAll(all);
	const [key] = readdirSync(join(ann.root, "projects"));
	const memory = join(ann.root, "projects", key!, "MEMORY.md");
	const before = readFileSync(memory);
	rmSync(memory);
	await syncAll(all);
	expect(bob.foreign()).toHaveLength(7);
	writeFileSync(memory, "- fact 1\n");
	expect(await ann.sync()).toMatchObject({ waiting: [expect.stringContaining("6 notes that went from MEMORY.md")] });
	writeFileSync(memory, before);
	await syncAll(all);
	expect([bob.foreign().length, ann.last().waiting]).toEqual([7, []]);
	writeFileSync(memory, "- fact 1\n");
	await ann.sync(true);
	await bob.sync();
	expect(bob.foreign()).toEqual(["fact 1"]);
});

test("an old, cut, doubled, foreign or forged document is not read, and said; the rest goes on", async () => {
	const { all, ann, bob, cid, fileOf, folder } = await three();
	const old = readFileSync(fileOf(bob));
	bob.save("one");
	await syncAll(all);
	const good = readFileSync(fileOf(bob));
	const cases: [Buffer, RegExp][] = [
		[old, /bob on .* is not taken: the carrier gives an old one, of version \d+, and \d+ is known/],
		[good.subarray(0, -3), /is not taken: its signature does not fit: it was changed on its way, or is not whole/],
		[good.subarray(0, 40), /is not taken: it is no document, or not all of one/],
		[Buffer.alloc(0), /is not taken: it is no document/],
		[Buffer.concat([good, good]), /its signature does not fit/],
		[readFileSync(fileOf(cid)), /it is that of machine [0-9a-f]{32}/],
		[Buffer.alloc(5 * 1024 * 1024), /more than the 4194304 of a document/],
	];
	for (const [bytes, said] of cases) {
		writeFileSync(fileOf(bob), bytes);
		cid.save(`beside ${cases.findIndex(([one]) => one === bytes)}`);
		await cid.sync();
		const { problems } = await ann.sync();
		expect(problems).toEqual([expect.stringMatching(said)]);
		expect(ann.foreign()).toContain("one");
	}
	writeFileSync(fileOf(bob), good);
	expect((await ann.sync()).problems).toEqual([]);
	expect(ann.foreign()).toHaveLength(cases.length + 1);
	// a machine that nobody let in
	const eve = machineAt(folder, "eve", join(folder, "own"));
	mkdirSync(join(folder, "own"));
	await eve.init();
	cpSync(join(folder, "own", "ccg-sync", eve.id()), join(folder, "ccg-sync", eve.id()));
	expect((await ann.sync()).problems).toEqual([expect.stringContaining("it is of another space")]);
});

test("a document that is gone is said and not told; a machine that leaves takes back what it said", async () => {
	const { all, ann, bob, cid, fileOf } = await three();
	bob.save("one");
	await syncAll(all);
	const [path, away] = [fileOf(bob), `${fileOf(bob)}.away`];
	renameSync(path, away);
	expect((await ann.sync()).gone).toEqual([{ machine: bob.id(), name: expect.stringMatching(/^bob on /) }]);
	expect(ann.foreign()).toEqual([]);
	renameSync(away, path);
	expect((await ann.sync()).gone).toEqual([]);
	expect(ann.foreign()).toEqual(["one"]);
	await leave(bob.opened(), bob.env);
	await syncAll([ann, cid]);
	expect([existsSync(path), ann.foreign(), bob.notes()]).toEqual([false, [], ["one"]]);
	await takeFrom(cid.opened(), bob.id());
	await syncAll([cid, ann]);
	expect(ann.last().gone).toEqual([]);
});

test("a damaged file of this machine is set aside, read again and said", async () => {
	const { all, ann, bob } = await three();
	bob.save("one");
	ann.save("mine");
	await syncAll(all);
	const at = (machine: TestMachine): string => join(ann.root, "sync", "documents", machine.id());
	for (const one of [bob, ann]) {
		writeFileSync(at(one), "torn");
		bob.save(`beside ${one.name}`);
		await bob.sync();
		expect((await ann.sync()).problems).toEqual([expect.stringContaining(`was damaged (it is no document`)]);
		expect(existsSync(`${at(one)}.damaged`)).toBe(true);
		expect((await ann.sync()).problems).toEqual([]);
		expect(ann.foreign()).toContain("one");
	}
	await syncAll(all);
	expect(bob.foreign()).toEqual(["mine"]);
});

test("a backup is noticed, and what was written after it comes back; two machines that write as one are said", async () => {
	const { base, folder, all, ann, bob } = await three();
	ann.save("before");
	ann.save("edited later");
	await syncAll(all);
	cpSync(ann.root, join(base, "backup"), { recursive: true });
	ann.save("after");
	ann.edit("edited later", "edited since");
	await syncAll(all);
	rmSync(ann.root, { recursive: true });
	cpSync(join(base, "backup"), ann.root, { recursive: true });
	expect((await ann.sync()).problems).toEqual([
		expect.stringContaining("a backup was restored, or another machine uses a copy of it"),
	]);
	await syncAll(all);
	expect(ann.notes().sort()).toEqual(["after", "before", "edited later", "edited since"]);
	expect(bob.foreign().sort()).toEqual(ann.notes().sort());
	expect((await ann.sync()).problems).toEqual([]);
	// a copy of the home that goes on beside it, on its own folder of the project
	const twin = machineAt(base, "twin", folder);
	rmSync(twin.root, { recursive: true });
	cpSync(ann.root, twin.root, { recursive: true });
	twin.share();
	for (const text of ann.notes()) twin.save(text);
	twin.save("of the twin");
	await twin.sync();
	ann.save("of ann");
	const said = "a backup was restored, or another machine uses a copy of it";
	expect((await ann.sync()).problems).toEqual([expect.stringContaining(said)]);
	expect((await twin.sync()).problems).toEqual([expect.stringContaining(`ccg sync join ${folder} --anew`)]);
	await syncAll([ann, twin, bob]);
	expect(bob.foreign()).toEqual(expect.arrayContaining(["of the twin", "of ann"]));
	await ann.letIn(await twin.ask(true));
	await syncAll([...all, twin]);
	expect(twin.id()).not.toBe(ann.id());
	expect((await ann.sync()).problems).toEqual([]);
});

test("who is taken out is not read any more and told so; what it let in stays", async () => {
	const { base, folder, all, ann, bob, cid } = await three();
	const dan = machineAt(base, "dan", folder);
	await cid.letIn(await dan.ask());
	dan.share();
	dan.save("of dan");
	cid.save("of cid");
	await syncAll([...all, dan]);
	expect(ann.foreign().sort()).toEqual(["of cid", "of dan"]);
	await takeFrom(ann.opened(), cid.id());
	await syncAll([ann, bob, dan]);
	expect((await cid.sync()).problems.join()).toContain("this machine was taken out of the space");
	cid.save("later");
	await syncAll([...all, dan]);
	for (const one of [ann, bob]) expect(one.foreign()).toEqual(["of dan"]);
	expect(cid.notes()).toEqual(["of cid", "later"]);
});

test("nobody between can put in another key, and who asks sends nothing but that", async () => {
	const base = scratch("join");
	const folder = join(base, "shared");
	mkdirSync(folder);
	const [ann, bob, eve] = ["ann", "bob", "eve"].map((name) => machineAt(base, name, folder)) as [
		TestMachine,
		TestMachine,
		TestMachine,
	];
	await ann.init();
	ann.save("of ann");
	await ann.sync();
	const code = await bob.ask();
	bob.share();
	bob.save("of bob");
	expect(await bob.sync()).toMatchObject({ isMember: false });
	expect((await bob.own()).values.map(({ kind }) => kind)).toEqual(["ask"]);
	expect((await ann.sync()).asking).toEqual([{ machine: bob.id(), name: expect.stringContaining("bob on ") }]);
	await expect(ann.letIn("00000-00000-00000-00000")).rejects.toThrow("no machine asks with that code");
	// another one that puts its own document in the place of the one that asks
	await eve.ask();
	const ours = join(folder, "ccg-sync");
	const asked = readFileSync(join(ours, bob.id()));
	cpSync(join(ours, eve.id()), join(ours, bob.id()));
	rmSync(join(ours, eve.id()));
	await expect(ann.letIn(code)).rejects.toThrow("no machine asks with that code");
	writeFileSync(join(ours, bob.id()), asked);
	await ann.letIn(code.replaceAll("-", "").toUpperCase());
	// (the one that asks believes nobody who does not know the code)
	await bob.sync();
	await syncAll([ann, bob]);
	expect([ann.foreign(), bob.foreign()]).toEqual([["of bob"], ["of ann"]]);
	expect(await bob.ask()).toBe(code);
});
