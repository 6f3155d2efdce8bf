import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lookAround } from "../../src/doctor/doctor.ts";
import { collectSeen } from "../../src/doctor/seen.ts";
import { sharedBullet } from "../../src/memory/shared.ts";
import { projectFolder } from "../../src/store/project.ts";
import { failed, runCcg } from "../kit/ccg.ts";
import { machineAt } from "../kit/sync-machines.ts";
import { scratch } from "../scratch-home.ts";

const AT = Date.parse("2026-11-24T10:00:00Z");

/** A store with one note of its own, and what other machines wrote. */
function place() {
	const home = scratch("home");
	const cwd = scratch("work");
	const root = join(home, ".claude-memory");
	const folder = projectFolder(root, cwd);
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const [memory, shared, all] = [join(folder, "MEMORY.md"), join(folder, "shared.md"), join(root, "shared.md")];
	writeFileSync(memory, "- my own note\n");
	const head = "# ccg shared: made anew\n\n";
	const long = `the harbour is closed. ${"It was a long day. ".repeat(200)}The lighthouse keeper knows.`;
	writeFileSync(
		shared,
		head +
			sharedBullet("ann on laptop", AT, ": the deploy runs src/gone/x.ts\non Fridays") +
			sharedBullet("carol on mini", AT, `: ${long}`),
	);
	writeFileSync(all, head + sharedBullet("bob on desk", AT, ", task: ship the parcel; next: weigh it"));
	const ccg = (...args: string[]) => runCcg(args, { env: { HOME: home }, cwd, columns: 400 });
	return { home, cwd, root, memory, shared, all, ccg };
}

test("memory list shows what others wrote behind its own, with who and when", async () => {
	const { ccg, memory, shared, all } = place();
	const lines = (await ccg("memory", "list")).out.split("\n");
	expect(lines.map((line) => line.slice(0, 80))).toEqual([
		memory,
		"    1  - my own note",
		`${shared}, from other machines:`.slice(0, 80),
		"    2  - ann on laptop, 2026-11-24 10:00 UTC: the deploy runs src/gone/x.ts on F",
		expect.stringMatching(/^ {4}3 {2}- carol on mini, 2026-11-24 10:00 UTC: the harbour/),
		`${all}, from other machines:`.slice(0, 80),
		"    1  - bob on desk, 2026-11-24 10:00 UTC, task: ship the parcel; next: weigh i",
	]);
	const { json } = await ccg("memory", "list", "--json");
	expect(json[1]).toEqual({
		...{ scope: "project", path: shared, number: 2, by: "ann on laptop", at: "2026-11-24T10:00Z" },
		text: "- ann on laptop, 2026-11-24 10:00 UTC: the deploy runs src/gone/x.ts\n  on Fridays",
	});
	expect((await ccg("memory", "list", "--global", "--json")).json).toMatchObject([{ by: "bob on desk", path: all }]);
	expect((await ccg("memory", "list", "2")).out).toContain("ann on laptop");
	// nothing is shared from here (any more)
	expect(await ccg("memory", "delete", "2 ann on", "--yes")).toMatchObject(
		failed("nothing is shared from here any more"),
	);
	expect(await ccg("memory", "edit", "deploy", "x")).toMatchObject(failed("nothing is shared from here any more"));
	expect(await ccg("memory", "delete", "4", "--yes")).toMatchObject(failed("a number alone", 2));
});

test("recall finds each note with who wrote it, also in the middle of a long one", async () => {
	const { ccg } = place();
	await ccg("index", "--rebuild");
	expect((await ccg("recall", "deploy", "Fridays")).out).toMatch(
		/\n\[\d+\] note, 2026-11-24 10:00 UTC, [^\n]*, by `ann on laptop`, [^\n]*shared\.md\n/,
	);
	expect((await ccg("recall", "lighthouse", "keeper")).out).toContain("by `carol on mini`");
	expect((await ccg("recall", "parcel")).out).toContain("by `bob on desk`");
	expect((await ccg("recall", "own", "note")).out).not.toContain("by `");
});

test("a link is named, and not followed", async () => {
	const { ccg, home, shared } = place();
	const elsewhere = join(home, "else.md");
	writeFileSync(elsewhere, "- from elsewhere\n");
	rmSync(shared);
	symlinkSync(elsewhere, shared);
	expect(await ccg("memory", "list")).toMatchObject(failed("shared.md"));
	await ccg("index", "--rebuild");
	expect((await ccg("recall", "elsewhere")).out).not.toContain("| ");
});

test("status and doctor tell the last sync where a space is shared, and nothing elsewhere", async () => {
	const base = scratch("machines");
	const folder = join(base, "carrier");
	mkdirSync(folder);
	const machine = machineAt(base, "ann", folder);
	const env = { HOME: machine.home, CCG_HOME: machine.root };
	const status = async () => (await runCcg(["status"], { env, cwd: machine.project })).out;
	const doctor = () => {
		const input = { env, cwd: machine.project, launcher: "/opt/ccg/bin/ccg", tell: () => {} };
		return lookAround(collectSeen(input, [])).filter(({ id }) => id === "store.sync");
	};
	expect([(await status()).includes("sync"), doctor()]).toEqual([false, []]);
	await machine.init();
	expect(await status()).toContain(`\nlast sync: 0 min ago by ${folder}`);
	expect(doctor()).toMatchObject([{ status: "info", title: "last sync", detail: `0 min ago by ${folder}` }]);
	renameSync(folder, `${folder}.away`);
	await expect(machine.sync()).rejects.toThrow("is the drive mounted");
	expect(await status()).toContain(", the last try failed 0 min ago");
	writeFileSync(join(machine.root, "sync", "space.json"), "torn");
	expect(await status()).toContain("\n! sync: ");
	expect(doctor()).toMatchObject([{ status: "fail" }]);
});
