import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { homeAt, joinsFor } from "../kit/sync-commands.ts";
import { scratch } from "../scratch-home.ts";

test("who may send nothing is told so, and who asks is shown to the members", async () => {
	const base = scratch("rights");
	const place = join(base, "shared");
	mkdirSync(place);
	const [ann, bob] = [homeAt(base, "ann"), homeAt(base, "bob")];
	await ann.ccg("memory", "save", "of ann");
	const nameless = await ann.ccg("sync", "init", place, "--yes");
	expect(nameless.err).toMatch(/no first commit is known .*\. Say it once: --project new\n$/);
	const project = await ann.init(place);
	const [, code] = /ccg sync join ([0-9a-f-]{23})/.exec((await bob.ccg("sync", "join", place)).out)!;
	expect((await bob.ccg("sync", "join", code!)).err).toMatch(/no member itself: type the code on one that is\n$/);

	await bob.ccg("memory", "save", "of bob");
	const chosen = await bob.ccg("sync", "init", "--project", project, "--yes");
	expect(chosen.out).toMatch(/Chosen: 1 item of .*\nNo member has taken this machine in yet, so it sends nothing/);
	const asks = /bob on .* asks to join: .*ccg sync join CODE/;
	for (const command of ["now", "status"]) expect((await ann.ccg("sync", command)).out).toMatch(asks);
	expect((await ann.ccg("sync", "join", code!, "--role", "reader")).code).toBe(0);
	expect((await ann.ccg("sync", "status")).out).not.toMatch(asks);

	const reader = "This machine is a reader: it gets what is shared, and sends nothing.";
	for (const command of ["now", "status"]) expect((await bob.ccg("sync", command)).out).toContain(reader);
	expect((await bob.ccg("sync", "init", "--project", project, "--yes")).out).not.toContain("Shared");
	await ann.ccg("sync", "now");
	expect(ann.memory()).not.toContain("of bob");
});

test("a try that failed is shown until one succeeds", async () => {
	const base = scratch("rights");
	const [place, gone] = [join(base, "shared"), join(base, "gone")];
	mkdirSync(place);
	const ann = homeAt(base, "ann");
	await ann.ccg("memory", "save", "of ann");
	await ann.init(place);
	renameSync(place, gone);
	expect(await ann.ccg("sync", "now")).toMatchObject({ code: 1 });
	expect((await ann.ccg("sync", "status")).out).toMatch(/! the last try failed, .*is the drive mounted/);
	expect((await ann.ccg("status")).out).toContain("the last try failed 0m ago");
	renameSync(gone, place);
	expect(await ann.ccg("sync", "now")).toMatchObject({ code: 0 });
	expect((await ann.ccg("sync", "status")).out).not.toContain("failed");
});

test("what others wrote is this machine's to edit once it has left", async () => {
	const base = scratch("rights");
	const place = join(base, "shared");
	mkdirSync(place);
	const [ann, bob] = [homeAt(base, "ann"), homeAt(base, "bob")];
	await ann.ccg("memory", "save", "of ann");
	const project = await ann.init(place);
	await joinsFor(project, ann, bob);
	expect(bob.shared()).toMatch(/^# ccg .*changes here are lost\n\n- ann on .*: of ann\n$/);
	expect(await bob.ccg("sync", "leave", "--yes")).toMatchObject({ code: 0, err: "" });
	expect(bob.shared()).toMatch(/^# ccg .*as it was when this machine left\n\n- ann on .*: of ann\n$/);
	expect((await bob.ccg("memory", "delete", "of ann", "--yes")).err).toMatch(/change it in \/.*shared\.md itself\n$/);
	expect((await ann.ccg("sync", "now")).code).toBe(0);
	expect((await ann.ccg("sync", "status")).out).toMatch(/bob +removed/);
});
