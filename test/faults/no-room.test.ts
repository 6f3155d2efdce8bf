/**
 * A store that can't be written: full, read-only, closed. Real ones, by mounts that only the process under test sees. The block still
 * comes, from the transcript, and the user is told at each session's start.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sessionFields } from "../../src/doctor/sandbox.ts";
import { Transcript } from "../kit/events.ts";
import { printedBy, runNow } from "../kit/process.ts";
import { ccg, hook, LAUNCHER, run, type Sandbox, sandbox } from "../kit/sandbox.ts";
import NO_ROOM from "./no-room.json";

const isRoot = process.getuid?.() === 0;
const canMount = runNow(["unshare", "-m", "true"]).code === 0 && isRoot;

function world(): Sandbox {
	const at = sandbox("no-room");
	new Transcript(at.project).typed("Never push to main. Write the parser.").said("Done.").write(at.transcript);
	mkdirSync(at.store, { mode: 0o700 });
	return at;
}

/** Behind a mount, by what stands before the command: `$0` is the store. */
const mounted = (at: Sandbox, kind: keyof typeof NO_ROOM.mounts, then = 'exec "$@"'): string[] => {
	const script = `(${NO_ROOM.mounts[kind]}; :); ${then}`;
	return ["unshare", "-m", "/bin/sh", "-c", script, at.store, LAUNCHER];
};

const KINDS = Object.entries(NO_ROOM["told at each start"]) as [keyof typeof NO_ROOM.mounts, string][];

test.skipIf(!canMount).each(KINDS)("%s", async (kind, why) => {
	const at = world();
	await hook(at, "session-start", { hook_event_name: "SessionStart", source: "startup" });
	await expectTold(at, mounted(at, kind), why);
});

const WRITTEN = Object.entries(NO_ROOM["told by so many writers"]) as [keyof typeof NO_ROOM.mounts, number][];

test.skipIf(!canMount).each(WRITTEN)(
	"a store that is %s is told in words by every command that writes: what, where and what to do",
	async (kind, least) => {
		const at = world();
		await hook(at, "stop", { hook_event_name: "Stop" });
		mkdirSync(join(at.top, "share"));
		for (const words of [
			["memory", "save", "a note"],
			["checkpoint", "save", "--session", at.sid],
			["task", "ensure", "--goal", "g", "--session", at.sid],
			["--anyway", "sync", "init", `${at.top}/share`, "--yes", "--project", "new"],
		])
			expect((await ccg(at, words)).err, words.join(" ")).not.toMatch(/^ccg: [^o]/);
		// of one that fails what it says, of others nothing
		const all = NO_ROOM.writers.map((one) => `said=$("$1" ${one} 2>&1 >/dev/null </dev/null) || echo "$said" ";"`);
		const { out } = await run([...mounted(at, kind, all.join("\n")), at.sid], { cwd: at.project, env: at.env });
		const failed = out.split(" ;\n").filter(Boolean);
		expect(failed.length, out).toBeGreaterThanOrEqual(least);
		for (const said of failed) {
			expect(said).toContain(at.store);
			expect(said).toMatch(/make room on it|mount it for writing|writable for you/);
			expect(said).not.toMatch(/attempt to write|database or disk|E[A-Z]{4,}:/);
		}
	},
);

const NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", LAUNCHER];

/** A world of another user, in which a script of root's changed something. */
function worldOfNobody(script: string): Sandbox {
	const at = world();
	const reach = 'at=$PWD; until [ "$at" = /tmp ] || [ "$at" = / ]; do chmod 755 "$at"; at=$(dirname "$at"); done';
	printedBy(["sh", "-euc", `${reach}; chown -R 65534 .; cd "$0"; ${script}`, at.store], { cwd: at.top });
	return at;
}

test.skipIf(!isRoot)("closed to its user", async () => {
	const at = worldOfNobody("chown 65534:65534 .; chmod 500 .");
	await expectTold(at, NOBODY, "permission denied");
});

test.skipIf(!isRoot)("one folder closed to its user: that one is named, all else is saved", async () => {
	const at = worldOfNobody("mkdir -m 755 run");
	const [start] = await starts(at, NOBODY, "startup");
	expect(start!.systemMessage).toContain(`ccg can't use ${at.store}/run`);
});

/** What a hook says, started by a command. */
async function saidBy(at: Sandbox, command: string[], name: string, fields: object): Promise<string> {
	const input = { ...sessionFields(at), ...fields };
	const { code, out } = await run([...command, "hook", name], { cwd: at.project, env: at.env, input });
	expect(code).toBe(0);
	return out;
}

async function starts(at: Sandbox, command: string[], ...sources: string[]) {
	const told = [];
	for (const source of sources)
		told.push(JSON.parse(await saidBy(at, command, "session-start", { hook_event_name: "SessionStart", source })));
	return told;
}

async function expectTold(at: Sandbox, command: string[], why: string): Promise<void> {
	const told = await starts(at, command, "startup", "startup");
	const fields = { hook_event_name: "PreCompact", trigger: "auto", custom_instructions: null };
	expect(await saidBy(at, command, "pre-compact", fields)).toContain("Never push to main.");
	const [compacted] = await starts(at, command, "compact");
	expect(compacted.hookSpecificOutput.additionalContext).toContain("Never push to main.");
	for (const { systemMessage } of [...told, compacted]) expect(systemMessage).toContain(why);
	for (const { systemMessage } of told) expect(systemMessage).toContain(at.store);
}
