import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rememberedIn } from "../kit/document-histories.ts";
import { syncAll, threeAt } from "../kit/sync-machines.ts";

test("encrypted, what one says all are told", async () => {
	const { all, ann, bob, cid, fileOf } = await threeAt(true);
	ann.save("the harbour closes at nine");
	bob.save("use tabs");
	await syncAll(all);
	expect([ann.foreign(), bob.foreign(), cid.foreign().sort()]).toEqual([
		["use tabs"],
		["the harbour closes at nine"],
		["the harbour closes at nine", "use tabs"],
	]);
	expect(readFileSync(fileOf(ann), "latin1")).toContain("age1");
});

test("nothing new: nobody writes, and no document is read", async () => {
	const { all, ann, fileOf } = await threeAt();
	for (let i = 0; i < 8; i++) {
		ann.save(`fact ${i}`);
		await syncAll(all);
	}
	const bytes = all.map((one) => readFileSync(fileOf(one), "latin1"));
	// a document holds what was said, however often it is written
	for (const one of bytes) expect(one.length).toBeLessThan(1_000);
	for (const one of all) expect(await one.sync()).toMatchObject({ received: 0, isSent: false, problems: [] });
	expect(all.map((one) => readFileSync(fileOf(one), "latin1"))).toEqual(bytes);
});

test("a note that another machine changed or deleted is kept beside, with who did it, and nothing is remembered for ever", async () => {
	const { all, ann, bob, cid } = await threeAt();
	ann.save("the port is 8080");
	ann.save("deploys are on Friday");
	ann.save("mine alone");
	await syncAll(all);
	await bob.change("port is 8080", "the port is 9090");
	await cid.change("Friday", null);
	for (const one of [cid, bob]) await one.sync();
	// it is told until its own machine lets it go
	expect(bob.foreign()).toContain("deploys are on Friday");
	await syncAll(all, 5);
	expect(ann.notes()).toEqual(["mine alone"]);
	expect(ann.foreign()).toEqual(["the port is 9090"]);
	expect(ann.replaced()).toMatch(/- bob on .* UTC, replaced it: the port is 8080\n/);
	expect(ann.replaced()).toMatch(/- cid on .* UTC, deleted it: deploys are on Friday\n/);
	expect([bob.notes(), bob.foreign()]).toEqual([["the port is 9090"], ["mine alone"]]);
	for (const one of all) expect(rememberedIn(await one.own())).toEqual([]);
});

test("two texts at the same time are both kept, and somebody decides", async () => {
	const { all, ann, bob, cid } = await threeAt();
	ann.save("the port is 8080");
	await syncAll(all);
	await bob.change("port is 8080", "the port is 9090");
	ann.edit("port is 8080", "the port is 7070");
	await syncAll(all);
	expect([ann.notes(), ann.foreign()]).toEqual([["the port is 7070"], ["the port is 9090"]]);
	expect([bob.notes(), bob.foreign()]).toEqual([["the port is 9090"], ["the port is 7070"]]);
	expect(cid.foreign().sort()).toEqual(["the port is 7070", "the port is 9090"]);
	expect(ann.shared()).toContain(", said otherwise too: the port is 9090");
	await ann.change("port is 9090", null);
	await syncAll(all, 5);
	expect([ann.notes(), bob.notes(), bob.foreign(), cid.foreign()]).toEqual([
		["the port is 7070"],
		[],
		["the port is 7070"],
		["the port is 7070"],
	]);
	expect(bob.replaced()).toMatch(/- ann on .* deleted it: the port is 9090/);
});

test("more than five of one's notes at once wait for a yes; a new text in the place of one is kept", async () => {
	const { all, ann, bob } = await threeAt();
	for (let i = 0; i < 7; i++) ann.save(`fact ${i}`);
	await syncAll(all);
	for (let i = 0; i < 7; i++) await bob.change(`fact ${i}`, null);
	await bob.sync();
	const { taken, waiting } = await ann.sync();
	expect([taken, waiting.length, waiting[3]]).toEqual([0, 7, expect.stringMatching(/^bob on .* deleted it: fact 3$/)]);
	expect([ann.notes().length, ann.replaced()]).toEqual([7, ""]);
	ann.edit("fact 3", "fact three");
	expect(await ann.sync(true)).toMatchObject({ taken: 6, waiting: [] });
	expect(ann.notes()).toEqual(["fact three"]);
	expect(ann.replaced().match(/deleted it: fact/g)).toHaveLength(6);
	await syncAll(all);
	expect(bob.foreign()).toEqual(["fact three"]);
});

test("a MEMORY.md that is lost takes nothing from the others", async () => {
	const { all, ann, bob } = await threeAt();
	for (let i = 0; i < 7; i++) ann.save(`fact ${i}`);
	await syncAll(all);
	const [key] = readdirSync(join(ann.root, "projects"));
	rmSync(join(ann.root, "projects", key!, "MEMORY.md"));
	await syncAll(all);
	expect(bob.foreign()).toHaveLength(7);
});
