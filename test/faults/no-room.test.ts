/**
 * A store that can't be written: full, read-only, closed. Real ones, by mounts that only the process under test sees. The block still
 * comes, from the transcript, and the user is told at each session's start.
 */
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Transcript } from "../kit/events.ts";
import { runNow } from "../kit/process.ts";
import { ccg, hook, LAUNCHER, run, type Sandbox, sandbox } from "../kit/sandbox.ts";

const canMount = runNow(["unshare", "-m", "true"]).code === 0 && process.getuid?.() === 0;

function world(): Sandbox {
	const at = sandbox("no-room");
	new Transcript(at.project).typed("Never push to main. Write the parser.").said("Done.").write(at.transcript);
	mkdirSync(at.store, { mode: 0o700 });
	return at;
}

/** Lets another user reach it. */
function open({ top }: Sandbox): void {
	for (let folder = top; folder.startsWith("/tmp/") && folder !== "/tmp"; folder = join(folder, ".."))
		chmodSync(folder, 0o755);
}

/** By what stands before the command: `$0` is the store. */
const KINDS: [string, string, RegExp][] = [
	["full", 'mount -t tmpfs -o size=64k,mode=700 none "$0"; cat /dev/zero >"$0/zeros" 2>/dev/null', /full/],
	[
		"full, and all in place",
		'cp -a "$0" "$0.copy"; mount -t tmpfs -o size=4m,mode=700 none "$0"; cp -a "$0.copy/." "$0"; cat /dev/zero >"$0/zeros" 2>/dev/null',
		/full/,
	],
	["without a free inode", 'mount -t tmpfs -o nr_inodes=1,mode=700 none "$0"', /full/],
	["read-only", 'mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"', /read-only/],
];

test.skipIf(!canMount).each(KINDS)("%s", async (_, mount, why) => {
	const at = world();
	await hook(at, "session-start", { hook_event_name: "SessionStart", source: "startup" });
	const command = ["unshare", "-m", "/bin/sh", "-c", `(${mount}; :); exec "$@"`, at.store, LAUNCHER, "hook"];
	await expectTold(at, command, why);
});

/** Every command that writes, and one hook; `$0` is the store, `$1` ccg, `$2` the session. */
const WRITERS = [
	'"$1" memory save "another note"',
	'"$1" memory save --target log "another note"',
	'"$1" memory edit "1 a note" changed',
	'"$1" checkpoint save again --session "$2"',
	'"$1" checkpoint restore manual --next',
	'"$1" checkpoint delete manual --yes',
	'"$1" task checkpoint --did it --next more --session "$2"',
	'"$1" gc "$2" --yes',
	'"$1" index --rebuild',
	'"$1" --anyway sync now',
	'"$1" --anyway sync init --stop --project new --yes',
];
const FILE =
	'for at in ccg.sqlite index.sqlite; do mount --bind "$0/$at" "$0/$at"; mount -o remount,ro,bind "$0/$at"; done';
const RUN = 'mount --bind "$0/run" "$0/run"; mount -o remount,ro,bind "$0/run"';

test.skipIf(!canMount).each([
	["full, and all in place", KINDS[1]![1], 10],
	["read-only", KINDS[3]![1], 11],
	["whose databases are read-only", FILE, 5],
	["whose run/ is read-only", RUN, 1],
])(
	"a store that is %s is told in words by every command that writes: what, where and what to do",
	async (_, mount, least) => {
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
		const all = WRITERS.map((one) => `${one} 2>&1 >/dev/null </dev/null; echo "= $?"`).join("\n");
		const { out } = await run(["unshare", "-m", "/bin/sh", "-c", `(${mount}; :); ${all}`, at.store, LAUNCHER, at.sid], {
			cwd: at.project,
			env: at.env,
		});
		const failed = out
			.split(/^= (?=\d)/m)
			.flatMap((said, i, parts) => (/^[1-9]/.test(parts[i + 1] ?? "") ? [said.replace(/^\d+\n/, "")] : []));
		expect(failed.length, out).toBeGreaterThanOrEqual(least);
		for (const said of failed) {
			expect(said).toContain(at.store);
			expect(said).toMatch(/make room on it|mount it for writing|writable for you/);
			expect(said).not.toMatch(/attempt to write|database or disk|E[A-Z]{4,}:/);
		}
	},
);

test.skipIf(process.getuid?.() !== 0)("closed to its user", async () => {
	const at = world();
	open(at);
	runNow(["chown", "-R", "65534", at.top]);
	chownSync(at.store, 65_534, 65_534);
	chmodSync(at.store, 0o500);
	await expectTold(
		at,
		["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", LAUNCHER, "hook"],
		/permission denied/,
	);
});

test.skipIf(process.getuid?.() !== 0)(
	"one folder closed to its user: that one is named, all else is saved",
	async () => {
		const at = world();
		open(at);
		mkdirSync(join(at.store, "run"), { recursive: true, mode: 0o700 });
		runNow(["chown", "-R", "65534", at.top]);
		chownSync(join(at.store, "run"), 0, 0);
		chmodSync(join(at.store, "run"), 0o755);
		const command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", LAUNCHER, "hook", "session-start"];
		const input = { session_id: at.sid, transcript_path: at.transcript, cwd: at.project };
		const started = { ...input, hook_event_name: "SessionStart", source: "startup" };
		const { out } = await run(command, { cwd: at.project, env: at.env, input: started });
		const { systemMessage } = JSON.parse(out);
		expect(systemMessage).toContain(`ccg can't use ${at.store}/run`);
	},
);

async function expectTold(at: Sandbox, command: string[], why: RegExp): Promise<void> {
	const ran = async (name: string, fields: object) => {
		const input = { session_id: at.sid, transcript_path: at.transcript, cwd: at.project, ...fields };
		const { code, out, err } = await run([...command, name], { cwd: at.project, env: at.env, input });
		return { code, out: out && name === "session-start" ? JSON.parse(out) : out, err };
	};
	for (let n = 0; n < 2; n++) {
		const { code, out } = await ran("session-start", { hook_event_name: "SessionStart", source: "startup" });
		expect(code).toBe(0);
		expect(out.systemMessage).toMatch(why);
		expect(out.systemMessage).toContain(at.store);
	}
	const steering = await ran("pre-compact", {
		hook_event_name: "PreCompact",
		trigger: "auto",
		custom_instructions: null,
	});
	expect([steering.code, steering.out]).toEqual([0, expect.stringContaining("Never push to main.")]);
	const { out } = await ran("session-start", { hook_event_name: "SessionStart", source: "compact" });
	expect(out.hookSpecificOutput.additionalContext).toContain("Never push to main.");
	expect(out.systemMessage).toMatch(why);
}
