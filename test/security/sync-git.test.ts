import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitCarrier } from "../../src/sync/git.ts";
import { gitIn } from "../kit/git.ts";
import { gitServer } from "../kit/git-server.ts";
import { membersAt, syncAll, type TestMachine } from "../kit/sync-machines.ts";
import { canRun } from "../kit/with-programs.ts";
import { scratch } from "../scratch-home.ts";
import { caught, putEvilProgram } from "./launch-fixture.ts";
import HOSTILE from "./sync-hostile.json";
import { hostileIn } from "./sync-hostile.ts";

const hex = (n: number): string => n.toString(16).padStart(32, "0");

function repository(name: string) {
	const base = scratch(`git-attack-${name}`);
	const far = join(base, "far.git");
	gitIn(base, base, ["init", "-q", "--bare", far]);
	const env = { HOME: base, PATH: process.env.PATH };
	const who = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
	const git = (words: string[], input: string | Buffer = ""): string =>
		String(execFileSync("git", [...who, ...words], { cwd: far, env, input })).trim();
	const blob = (bytes: string | Buffer): string => git(["hash-object", "-w", "--stdin"], bytes);
	const tree = (entry: string): string => git(["mktree"], `${entry}\n`);
	const commit = (entry: string): string => git(["commit-tree", "-m", "x", tree(entry)]);
	return { base, far, git, blob, tree, commit, env };
}

test("what unpacks to gigabytes, is large, a link, a folder or no commit is said and not read, and the rest goes on", async () => {
	const { base, far, git, blob, tree, commit } = repository("refs");
	const [ann, bob] = (await membersAt(base, `git:${far}`, ["ann", "bob"])) as [TestMachine, TestMachine];
	bob.save("of bob");
	await syncAll([ann, bob]);
	const file = blob("no document");
	const hostile = [
		commit(`100644 blob ${blob(Buffer.alloc(128 * 1024 * 1024))}\tdocument`),
		commit(`100644 blob ${blob(randomBytes(20 * 1024 * 1024))}\tdocument`),
		commit(`120000 blob ${blob("/etc/passwd")}\tdocument`),
		commit(`040000 tree ${tree(`100644 blob ${file}\tx`)}\tdocument`),
		commit(`100644 blob ${file}\telsewhere`),
		file,
	];
	for (const [n, id] of hostile.entries()) git(["update-ref", `refs/notes/ccg/${hex(n)}`, id]);
	const strange = Array.from({ length: 5_000 }, (_, n) => `create refs/notes/ccg/strange-${n} ${hostile[4]}\n`);
	git(["update-ref", "--stdin"], strange.join(""));
	git(["pack-refs", "--all"]);
	bob.save("later");
	await bob.sync();
	const before = process.memoryUsage().rss;
	const { problems } = await ann.sync();
	expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
	expect(problems).toEqual([
		expect.stringMatching(/git cat-file: it took over 60 s, or gave over 4194304 bytes/),
		expect.stringMatching(/git fetch: /),
		expect.stringMatching(/is not taken: it is no document/),
		expect.stringMatching(/git cat-file: /),
		expect.stringMatching(/git cat-file: /),
		expect.stringMatching(/git cat-file: /),
	]);
	expect(ann.foreign()).toEqual(["of bob", "later"]);
	const more = Array.from({ length: 200 }, (_, n) => `create refs/notes/ccg/${hex(n + 100)} ${hostile[4]}\n`);
	git(["update-ref", "--stdin"], more.join(""));
	await expect(ann.sync()).rejects.toThrow("more than the 200 that may share");
});

test("no program runs that a repository on this machine names, nor one that the user's configuration names for commits and pushes", async () => {
	const { base, far, git, blob, commit, env } = repository("programs");
	const lacking = blob("what a promisor has");
	git(["update-ref", `refs/notes/ccg/${hex(2)}`, commit(`100644 blob ${lacking}\tdocument`)]);
	rmSync(join(far, "objects", lacking.slice(0, 2)), { recursive: true });
	const hostile = hostileIn(base);
	for (const folder of [join(far, "hooks"), join(base, "hooks")])
		for (const name of HOSTILE.hooks) putEvilProgram(hostile, join(folder, name));
	const machine = hex(1);
	mkdirSync(join(base, "alternate.git"));
	gitIn(base, base, ["init", "-q", "--bare", join(base, "alternate.git")]);
	writeFileSync(join(far, "objects", "info", "alternates"), `${join(base, "alternate.git", "objects")}\n`);
	writeFileSync(join(far, "HEAD"), `ref: refs/notes/ccg/${machine}\n`);
	mkdirSync(join(base, "worktree"));
	appendFileSync(join(far, "config"), hostile.lines("repository's configuration"));
	writeFileSync(join(base, ".gitconfig"), hostile.lines("user's configuration"));
	for (const round of [1, 2]) {
		await using writer = await gitCarrier(join(base, "git"), far, true, env);
		await writer.put(machine, Buffer.from(`document ${round}`));
		await using reader = await gitCarrier(join(base, "git"), far, true, env);
		expect(String(await reader.get(machine))).toBe(`document ${round}`);
	}
	// its configuration would bring by a program what it lacks
	const reader = await gitCarrier(join(base, "git"), far, true, env);
	await expect(reader.get(hex(2))).rejects.toThrow("git fetch: ");
	expect(caught(hostile)).toBe(false);
	// (it does where nothing stands over the repository's configuration)
	git(["update-ref", "refs/heads/x", `refs/notes/ccg/${machine}`]);
	expect(caught(hostile)).toBe(true);
});

test.skipIf(!canRun("openssl"))(
	"by https the certificate is verified whatever an environment or a configuration says, no proxy is taken and nobody is asked",
	async () => {
		const { base, env } = repository("https");
		const server = gitServer(base);
		const { canary, program } = hostileIn(base);
		const settings = (http: string) =>
			writeFileSync(join(base, ".gitconfig"), `[http]\n\t${http}\n[core]\n\taskPass = ${program}\n`);
		const hostile = {
			...{ GIT_SSL_NO_VERIFY: "1", GIT_SSL_CAINFO: server.certificate, SSL_CERT_FILE: server.certificate },
			...{ https_proxy: "http://127.0.0.1:1", ALL_PROXY: "http://127.0.0.1:1", GIT_ASKPASS: program },
			...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "http.sslVerify", GIT_CONFIG_VALUE_0: "false" },
		};
		const open = (path: string) => gitCarrier(join(base, "git"), `${server.url}${path}`, false, { ...env, ...hostile });
		try {
			settings("sslVerify = false");
			await expect(open("/far.git")).rejects.toMatchObject({
				code: "EOFFLINE",
				message: expect.stringContaining("certificate"),
			});
			settings(`sslCAInfo = ${server.certificate}`);
			await using writer = await open("/far.git");
			await writer.put(hex(1), Buffer.from("by https"));
			await using reader = await open("/far.git");
			expect(String(await reader.get(hex(1)))).toBe("by https");
			await expect(open("/closed/far.git")).rejects.toThrow("terminal prompts disabled");
			expect(caught({ canary })).toBe(false);
		} finally {
			server.stop();
		}
	},
);
