import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitIn } from "../kit/git.ts";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { twoHomes } from "../kit/sync-commands.ts";

/** Two homes with a clone of one repository each, and a folder that both see. */
function machines() {
	const { base, place: shared, ann, bob } = twoHomes("sync");
	const who = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
	for (const words of [
		["init", "-q"],
		[...who, "commit", "-q", "--allow-empty", "-m", "first"],
	])
		gitIn(ann.project, base, words);
	gitIn(base, base, ["clone", "-q", ann.project, bob.project]);
	return { ann, bob, shared };
}

const codeIn = (text: string): string => /ccg sync join ([0-9a-f-]{23})/.exec(text)![1]!;

test("what is shared is shown first, and nothing is written until it is meant", async () => {
	const { ann, shared } = machines();
	await ann.ccg("memory", "save", "tests run with bun");
	expect(await ann.ccg("sync")).toMatchObject({ code: 1, err: expect.stringContaining("nothing is shared here yet") });
	const dry = await ann.ccg("sync", "init", shared, "--dry-run");
	expect(dry).toMatchObject({ code: 0, out: expect.stringContaining("note  tests run with bun") });
	expect(await ann.ccg("sync", "init", shared)).toMatchObject({ code: 2, err: expect.stringContaining("add --yes") });
	expect([readdirSync(shared), existsSync(join(ann.store, "sync.sqlite"))]).toEqual([[], false]);
	expect(await ann.ccg("sync", "init", join(shared, "none"))).toMatchObject({ code: 1 });
	expect(await ann.ccg("sync", "init", "ftp://x")).toMatchObject({
		code: 1,
		err: expect.stringContaining("is no place"),
	});
	const held = await run([LAUNCHER, "sync", "init", shared, "--yes"], {
		env: { HOME: ann.home, PATH: "/usr/bin:/bin", CLAUDECODE: "1" },
		cwd: ann.project,
	});
	expect(held).toMatchObject({ code: 1, err: expect.stringContaining("--anyway") });
});

test("a second machine joins by a code, and each tells what the other wrote; who leaves keeps what is there", async () => {
	const { ann, bob, shared } = machines();
	await ann.ccg("memory", "save", "tests run with bun");
	expect((await ann.ccg("sync", "init", shared, "--yes")).out).toContain("Shared 1 item of");
	const asked = await bob.ccg("sync", "join", shared);
	expect(asked.code).toBe(0);
	expect(await ann.ccg("sync", "join", "00000-00000-00000-00000")).toMatchObject({ code: 1 });
	expect((await ann.ccg("sync", "join", codeIn(asked.out))).out).toContain("bob on ");
	// the repository tells which project it is
	expect((await bob.ccg("sync", "init", "--yes")).code).toBe(0);
	expect(bob.shared()).toMatch(/^- ann on .*: tests run with bun$/m);
	await bob.ccg("memory", "save", "the port is 8080");
	expect((await bob.ccg("sync", "now")).out).toContain("sent what changed here");
	expect((await ann.ccg("sync", "now")).out).toMatch(/^Received 1 document/);
	expect(ann.shared()).toMatch(/^- bob on .*: the port is 8080$/m);
	const status = JSON.parse((await ann.ccg("sync", "status", "--json")).out);
	expect(status).toMatchObject({ encrypted: false, last: { is_member: true, problems: [] } });
	expect((await bob.ccg("sync", "leave", "--yes")).code).toBe(0);
	expect(bob.shared()).toContain("tests run with bun");
	expect((await bob.ccg("memory", "list")).out).toContain("the port is 8080");
	expect((await ann.ccg("sync", "now")).code).toBe(0);
	expect(ann.shared()).not.toContain("8080");
});

test("by itself it says nothing: without a space, and where the carrier is gone, which status, doctor and one line of the log tell", async () => {
	const { ann, shared } = machines();
	const auto = () => ann.ccg("sync", "now", "--auto");
	const status = async () => (await ann.ccg("status")).out;
	const doctor = async () => (await ann.json("doctor")).checks.filter(({ id }: { id: string }) => id === "store.sync");
	const silent = { code: 0, out: "", err: "" };
	expect(await auto()).toMatchObject(silent);
	expect([(await status()).includes("last sync"), await doctor()]).toEqual([false, []]);
	await ann.ccg("memory", "save", "one");
	await ann.ccg("sync", "init", shared, "--yes");
	expect(await status()).toContain(`\nlast sync: 0 min ago by ${shared}`);
	expect(await doctor()).toMatchObject([{ status: "info", detail: `0 min ago by ${shared}` }]);
	renameSync(shared, `${shared}-away`);
	expect(await auto()).toMatchObject(silent);
	expect(readFileSync(join(ann.store, "log", "ccg.log"), "utf8")).toMatch(/^\S+ sync: .*is not there/);
	expect(await ann.ccg("sync", "now")).toMatchObject({ code: 1, err: expect.stringContaining("is not there") });
	expect(await status()).toContain(", the last try failed 0 min ago");
	renameSync(`${shared}-away`, shared);
	expect((await ann.ccg("sync", "now")).code).toBe(0);
	writeFileSync(join(ann.store, "sync", "space.json"), "torn");
	expect(await status()).toContain("\n! sync: ");
	expect(await doctor()).toMatchObject([{ status: "fail" }]);
});
