import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { homeAt, joinsFor, twoHomes } from "../kit/sync-commands.ts";
import { scratch } from "../scratch-home.ts";

test("who may send nothing is told so, and who asks is shown to the members", async () => {
	const { place, ann, bob } = twoHomes("rights");
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
	expect((await ann.ccg("sync", "leave", "--yes")).err).toContain("no owner would be left to the other members");
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
	expect((await ann.ccg("status")).out).toContain("the last try failed 0 min ago");
	renameSync(gone, place);
	expect(await ann.ccg("sync", "now")).toMatchObject({ code: 0 });
	expect((await ann.ccg("sync", "status")).out).not.toContain("failed");
});

test("what others wrote is this machine's to edit once it has left", async () => {
	const { place, ann, bob } = twoHomes("rights");
	await ann.ccg("memory", "save", "of ann");
	const project = await ann.init(place);
	await joinsFor(project, ann, bob);
	expect(bob.shared()).toMatch(/^# ccg .*changes here are lost\n\n- ann on .*: of ann\n$/);
	expect(await bob.ccg("sync", "leave", "--yes")).toMatchObject({ code: 0, err: "" });
	expect(bob.shared()).toMatch(/^# ccg .*as it was when this machine left\n\n- ann on .*: of ann\n$/);
	expect((await bob.ccg("memory", "delete", "of ann", "--yes")).err).toMatch(/change it in \/.*shared\.md itself\n$/);
	expect((await ann.ccg("sync", "now")).code).toBe(0);
	expect((await ann.ccg("sync", "status")).out).not.toContain("bob");
});

test("a space that is there is joined, not made again; one that is lost is left all the same", async () => {
	const { place, ann, bob } = twoHomes("rights", "my share");
	const made = await ann.ccg("sync", "init", place, "--project", "new", "--yes");
	expect(made.out).toContain(`Another machine joins with: ccg sync join '${place}'\n`);
	const again = await bob.ccg("sync", "init", place, "--project", "new", "--yes");
	expect(again).toMatchObject({ code: 1, err: expect.stringContaining(`holds a space already: `) });
	expect((await bob.ccg("sync", "init", place, "--another", "--project", "new", "--yes")).code).toBe(0);
	expect((await ann.ccg("sync", "join", place)).out).toMatch(/^This machine is a member already \(owner\)/);
	expect(await ann.ccg("sync", "init", "--encrypt", "--yes")).toMatchObject({ code: 2 });
	expect((await ann.ccg("sync", "init", "--project", "global", "--yes")).err).toContain("--global shares those");
	rmSync(place, { recursive: true });
	expect(await ann.ccg("sync", "leave", "--yes")).toMatchObject({ code: 1, err: expect.stringContaining("--force") });
	expect(await ann.ccg("sync", "leave", "--force", "--yes")).toMatchObject({ code: 0 });
	mkdirSync(place);
	expect((await ann.ccg("sync", "init", place, "--encrypt", "--project", "new", "--yes")).code).toBe(0);
	expect((await ann.ccg("sync", "status")).out).toContain(", encrypted\n");
});

test("what is shared of a project stays as it was said, until it is shared no more", async () => {
	const { place, ann, bob } = twoHomes("rights");
	await ann.ccg("memory", "save", "of ann");
	const project = await ann.init(place, "--share", "notes,tasks");
	await joinsFor(project, ann, bob);
	await bob.ccg("memory", "save", "of bob");
	await bob.ccg("sync", "now");
	await ann.ccg("sync", "init", "--yes");
	expect((await ann.json("sync", "status")).projects).toMatchObject([{ kinds: ["notes", "tasks"] }]);
	expect(ann.shared()).toContain("of bob");
	await ann.ccg("memory", "save", "not sent yet");
	expect((await ann.ccg("sync", "status")).out).toContain("; 1 change to send.");
	expect(await ann.ccg("sync", "init", "--share", "none", "--yes")).toMatchObject({ code: 0, err: "" });
	expect(() => ann.shared()).toThrow("ENOENT");
	expect((await ann.ccg("sync", "status")).out).toContain("No project is shared from here yet");
	expect(ann.memory()).toContain("of ann");
	await bob.ccg("sync", "now");
	expect(bob.shared()).not.toContain("of ann");
	expect(await ann.ccg("sync", "init", "--project", project, "--yes")).toMatchObject({ code: 0 });
	expect(ann.shared()).toContain("of bob");
	await bob.ccg("sync", "now");
	expect(bob.shared()).toContain("not sent yet");
});

test("a project is shared no more as what it was shared, whatever is named", async () => {
	const { place, ann, bob } = twoHomes("rights");
	await ann.ccg("memory", "save", "of ann");
	await joinsFor(await ann.init(place), ann, bob);
	const none = await ann.ccg("sync", "init", "--share", "none", "--project", "new", "--yes");
	expect(none).toMatchObject({ code: 0, err: "" });
	await bob.ccg("sync", "now");
	expect(bob.shared()).not.toContain("of ann");
});

test("notes of a MEMORY.md that is lost come back as what was shared, also behind a new one", async () => {
	const base = scratch("rights");
	const place = join(base, "shared");
	mkdirSync(place);
	const ann = homeAt(base, "ann");
	for (const text of ["one", "two"]) await ann.ccg("memory", "save", text);
	await ann.init(place);
	const [key = ""] = readdirSync(join(ann.store, "projects"));
	rmSync(join(ann.store, "projects", key, "MEMORY.md"));
	await ann.ccg("sync", "now");
	await ann.ccg("memory", "save", "three");
	expect((await ann.ccg("sync", "now")).out).toContain("1 new change made here");
	for (const text of ["one", "two"]) expect(ann.shared()).toMatch(new RegExp(`: ${text}$`, "m"));
	expect(ann.shared()).not.toContain("three");
});
