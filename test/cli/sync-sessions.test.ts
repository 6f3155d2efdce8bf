import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { Transcript } from "../kit/events.ts";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { type Home, joins, twoHomes } from "../kit/sync-commands.ts";

const SID = "11111111-1111-4111-8111-111111111111";

/** A session that a compaction took a checkpoint of. */
async function sessionIn({ home, project }: Home, subject: string): Promise<void> {
	const path = join(home, ".claude", "projects", "p", `${SID}.jsonl`);
	mkdirSync(dirname(path), { recursive: true });
	new Transcript(project)
		.typed(`Port the ${subject} in ${project}/src, and never touch its tests.`)
		.said(`The ${subject} reads its table twice. The password is hunter2hunter2.`)
		.call("Bash", { command: `cat ${subject}.log` }, `output of the ${subject}'s tool`)
		.said(`Next I move the ${subject}'s table.`)
		.write(path);
	const fields = { session_id: SID, transcript_path: path, cwd: project };
	const input = { ...fields, hook_event_name: "PreCompact", trigger: "manual", custom_instructions: "" };
	const env = { HOME: home, CLAUDE_PROJECT_DIR: project };
	const { err } = await run([LAUNCHER, "hook", "pre-compact"], { env, cwd: project, input });
	expect(err).toBe("");
}

test("a session left on one machine is restored and handed off on another, as that machine's words", async () => {
	const { place, ann, bob } = twoHomes("sessions");
	await sessionIn(ann, "parser");
	const dry = await ann.ccg("sync", "init", place, "--project", "app", "--dry-run");
	expect(dry.out).toContain(`session  ${SID}, checkpoint of `);
	await ann.init(place);
	await joins(ann, bob);
	const handoff = (await bob.ccg("show", "latest", "--as", "handoff")).out;
	expect(handoff).toMatch(/It came \d{4}\S+ from `ann on [^`]+`, a machine that this one shares with/);
	expect(handoff).not.toMatch(/^> /m);
	expect(handoff).toContain("Port the parser in src, and never touch its tests.");
	for (const one of ["hunter2", ann.home]) expect(handoff).not.toContain(one);
	const restored = await bob.ccg("checkpoint", "restore", "--print");
	expect([restored.code, restored.out]).toEqual([0, expect.stringContaining("Next I move the parser's table.")]);
	// once, and not as one of bob's own, which ann would get back
	const listed = async (one: Home) => (await one.json("checkpoint", "list")).checkpoints.length;
	for (const one of [bob, ann, bob, ann]) await one.ccg("sync", "now");
	expect([await listed(bob), await listed(ann)]).toEqual([1, 1]);
	// a later one takes its place
	await sessionIn(ann, "printer");
	for (const one of [ann, bob]) await one.ccg("sync", "now");
	expect(await listed(bob)).toBe(1);
	expect((await bob.ccg("show", "latest", "--as", "handoff")).out).toContain("Port the printer");
	await bob.ccg("sync", "init", "--project", "app", "--stop", "--yes");
	expect(await listed(bob)).toBe(0);
	// shared without sessions it is not there
	const file = readdirSync(join(place, "ccg-sync")).map((name) => readFileSync(join(place, "ccg-sync", name)).length);
	await ann.ccg("sync", "init", "--project", "app", "--notes", "--yes");
	const after = readdirSync(join(place, "ccg-sync")).map((name) => readFileSync(join(place, "ccg-sync", name)).length);
	expect(Math.min(...after)).toBeLessThan(Math.max(...file) / 2);
});
