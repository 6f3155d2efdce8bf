import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { saveMemory } from "../../src/memory/change.ts";
import { removeMember, removeOwnDocument, syncNow } from "../../src/sync/members.ts";
import { forgetSpace, writeSpace } from "../../src/sync/space.ts";
import { machineAt, syncAll, type TestMachine, threeAt } from "../kit/sync-machines.ts";
import { scratch } from "../scratch-home.ts";

test("an old, cut, doubled, foreign or forged document is not read, and said; the rest goes on", async () => {
	const { all, ann, bob, cid, fileOf, folder } = await threeAt();
	const old = readFileSync(fileOf(bob));
	bob.save("one");
	await syncAll(all);
	const good = readFileSync(fileOf(bob));
	const cases: [Buffer, RegExp][] = [
		[old, /bob on .* is not taken: what is there is old, of version \d+, and \d+ is known/],
		[good.subarray(0, -3), /is not taken: its signature does not fit: it was changed on its way, or is not whole/],
		[good.subarray(0, 40), /is not taken: it is no document, or not all of one, or of a newer ccg/],
		[Buffer.alloc(0), /is not taken: it is no document/],
		[Buffer.concat([good, good]), /its signature does not fit/],
		[readFileSync(fileOf(cid)), /it is that of machine [0-9a-f]{32}/],
		[Buffer.alloc(5 * 1024 * 1024), /larger than 4194304 bytes/],
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
	expect((await ann.sync()).problems).toEqual([
		expect.stringMatching(/^eve on .* is no member: what it wrote is not read$/),
	]);
});

test("a document that is gone is said and not told; a machine that leaves takes back what it said", async () => {
	const { all, ann, bob, cid, fileOf } = await threeAt();
	bob.save("one");
	await syncAll(all);
	const [path, away] = [fileOf(bob), `${fileOf(bob)}.away`];
	renameSync(path, away);
	const gone = async () => (await ann.sync()).members.filter(({ isGone }) => isGone).map(({ name }) => name);
	expect(await gone()).toEqual([expect.stringMatching(/^bob on /)]);
	expect(ann.foreign()).toEqual([]);
	renameSync(away, path);
	expect(await gone()).toEqual([]);
	expect(ann.foreign()).toEqual(["one"]);
	const before = bob.opened();
	await removeOwnDocument(before, bob.env);
	forgetSpace(bob.store);
	// (an exchange that began before it)
	await expect(syncNow(before, bob.env)).rejects.toThrow("nothing is shared here yet");
	await syncAll([ann, cid]);
	expect([existsSync(path), ann.foreign(), bob.notes()]).toEqual([false, [], ["one"]]);
	await removeMember(cid.opened(), before.space.self.id);
	await syncAll([cid, ann]);
	expect(await gone()).toEqual([]);
});

test("a damaged file of this machine is set aside, read again and said", async () => {
	const { all, ann, bob, fileOf } = await threeAt();
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
	// one byte that changes nothing of what was signed
	const file = readFileSync(fileOf(ann), "latin1");
	writeFileSync(fileOf(ann), file.replace("\n", "=\n"), "latin1");
	expect((await ann.sync()).problems).toEqual([]);
});

test("where the folder of a shared project is another one's now, nothing of that goes out", async () => {
	const { all, ann, bob, base } = await threeAt();
	ann.save("one");
	await syncAll(all);
	const { store, space } = ann.opened();
	const other = { ...ann.place, scope: { cwd: join(base, "other") } };
	mkdirSync(join(base, "other"));
	saveMemory({ ...other, target: "memory", text: "shared with nobody", now: new Date() });
	writeSpace({
		store,
		space: { ...space, projects: space.projects.map((one) => ({ ...one, folder: join(base, "other") })) },
	});
	expect((await ann.sync()).problems.join()).toContain("is another project now");
	await bob.sync();
	expect(bob.foreign()).toEqual(["one"]);
});

test("a restored backup and a copied home are said and write nothing; as a machine of its own it has all that was said", async () => {
	const { base, folder, all, ann, bob, fileOf } = await threeAt();
	ann.save("before");
	await syncAll(all);
	cpSync(ann.root, join(base, "backup"), { recursive: true });
	ann.save("after");
	ann.edit("before", "edited since");
	await syncAll(all);
	const [file, bytes] = [fileOf(ann), readFileSync(fileOf(ann))];
	rmSync(ann.root, { recursive: true });
	cpSync(join(base, "backup"), ann.root, { recursive: true });
	ann.save("newer");
	const said = "a backup was restored, or another machine uses a copy of this home";
	await expect(ann.sync()).rejects.toThrow(said);
	expect([readFileSync(file), ann.last().failed?.why]).toEqual([bytes, expect.stringContaining(said)]);
	expect(ann.last().failed?.why).toContain(`ccg sync join ${folder}`);
	await bob.letIn(await ann.ask());
	await syncAll(all);
	expect([ann.notes(), ann.foreign().sort()]).toEqual([
		["before", "newer"],
		["after", "edited since"],
	]);
	expect(bob.foreign().sort()).toEqual(["after", "before", "edited since", "newer"]);
	expect(ann.last().failed).toBeNull();
});

test("who is taken out stays so, is told, and may ask anew; what it let in stays", async () => {
	const { base, folder, all, ann, bob, cid, fileOf } = await threeAt(true);
	const dan = machineAt(base, "dan", folder);
	await cid.letIn(await dan.ask());
	dan.share();
	dan.save("of dan");
	cid.save("of cid");
	await syncAll([...all, dan]);
	expect(ann.foreign().sort()).toEqual(["of cid", "of dan"]);
	// (twice, as where the carrier was away)
	for (const _ of [1, 2]) await removeMember(ann.opened(), cid.id());
	await syncAll([ann, bob, dan]);
	cid.save("later");
	for (const _ of [1, 2, 3, 4, 5]) {
		const { isMember, problems } = await cid.sync();
		expect([isMember, problems]).toEqual([false, [expect.stringContaining("was taken out by a member")]]);
	}
	await syncAll([ann, bob, dan]);
	for (const one of [ann, bob]) expect(one.foreign()).toEqual(["of dan"]);
	expect(cid.notes()).toEqual(["of cid", "later"]);
	await ann.letIn(await cid.ask());
	await syncAll([...all, dan]);
	expect(ann.foreign().sort()).toEqual(["later", "of cid", "of dan"]);
	await expect(cid.ask()).rejects.toThrow("shares by");
	// whose document can't be read can be taken out too
	writeFileSync(fileOf(dan), "no document");
	await removeMember(bob.opened(), dan.id());
	await syncAll([bob, ann]);
	expect(ann.foreign().sort()).toEqual(["later", "of cid"]);
});

test("nobody between can put in another key, and who asks sends nothing but that", async () => {
	const base = scratch("join");
	const folder = join(base, "shared");
	mkdirSync(folder);
	const [ann, bob] = [machineAt(base, "ann", folder), machineAt(base, "bob", folder)];
	await ann.init();
	ann.save("of ann");
	await ann.sync();
	const code = await bob.ask();
	expect(await bob.ask()).toBe(code);
	bob.share();
	bob.save("of bob");
	expect(await bob.sync()).toMatchObject({ isMember: false });
	expect(await bob.own()).toMatchObject({ ask: expect.stringMatching(/^[0-9a-f]{64}$/), values: [] });
	expect((await ann.sync()).asking).toEqual([{ machine: bob.id(), name: expect.stringContaining("bob on ") }]);
	expect(await ann.letIn("00000-00000-00000-00000")).toBeNull();
	// another one that puts its own document in the place of the one that asks
	const eve = machineAt(base, "eve", folder);
	await eve.ask();
	const ours = join(folder, "ccg-sync");
	const asked = readFileSync(join(ours, bob.id()));
	cpSync(join(ours, eve.id()), join(ours, bob.id()));
	rmSync(join(ours, eve.id()));
	expect(await ann.letIn(code)).toBeNull();
	writeFileSync(join(ours, bob.id()), asked);
	expect(await ann.letIn(code.replaceAll("-", "").toUpperCase())).toMatch(/^bob on /);
	// (the one that asks believes nobody who does not know the code)
	await bob.sync();
	await syncAll([ann, bob]);
	expect([ann.foreign(), bob.foreign()]).toEqual([["of bob"], ["of ann"]]);
	await expect(bob.ask()).rejects.toThrow("shares by");
});
