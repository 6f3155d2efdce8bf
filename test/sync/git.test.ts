import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plainAddress } from "../../src/sync/address.ts";
import { gitCarrier, spacesInGit } from "../../src/sync/git.ts";
import type { Opened } from "../../src/sync/space.ts";
import { anew } from "../../src/sync/sync.ts";
import { gitIn } from "../kit/git.ts";
import { batches, ME, OTHER, PATH, PROJECT, place, read, SPACE, send } from "../kit/git-carrier.ts";
import { startBun } from "../kit/process.ts";
import { machineAt, type Reached, type TestMachine } from "../kit/sync-machines.ts";

test.each([["sha1"], ["sha256"]])(
	"what one clone pushes another reads: batches, documents, removals (%s)",
	async (format) => {
		const { open, files, base, bare, env, workTree } = place("both", `--object-format=${format}`);
		// (the format of an empty remote can't be told)
		const tree = workTree();
		tree("commit", "-q", "--allow-empty", "-m", "x");
		tree("push", "-q", "far", "ccg-sync");
		const one = await open("one");
		await one.put("space", Buffer.from("whose"));
		await one.put(`join/${ME}`, Buffer.from("asks"));
		await send(one, ME, batches(1, 3));
		expect(await spacesInGit(join(base, "new"), bare, { env })).toEqual([SPACE]);
		const two = await open("two", { create: false });
		expect((await two.heads()).get(ME)).toEqual({ from: 1, to: 3 });
		expect((await two.read(ME, 2)).map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(["x 2", "x 3"]);
		expect(Buffer.from((await two.get("space"))!).toString()).toBe("whose");
		await two.remove(`join/${ME}`);
		await send(two, OTHER, batches(1, 1));
		const again = await open("one");
		expect(await again.list("")).toEqual(["space"]);
		await again.forget(ME, 2);
		await send(again, ME, batches(4, 4));
		expect(await read(open("two"), ME, 3)).toEqual([3, 4]);
		expect(files()).toHaveLength(3);
	},
);

test("other files, branches and a default branch of another name stay as they are", async () => {
	const { open, inBare, workTree } = place("others");
	const tree = workTree();
	writeFileSync(join(tree.at, "README"), "mine");
	tree("add", ".");
	tree("commit", "-qm", "x");
	tree("push", "-q", "far", "HEAD:trunk", "HEAD:refs/heads/--all", "HEAD:ccg-sync");
	inBare("symbolic-ref", "HEAD", "refs/heads/trunk");
	await send(open(), ME, batches(1, 1));
	expect(inBare("show", "ccg-sync:README")).toBe("mine");
	expect(inBare("for-each-ref", "--format=%(refname)").trim().split("\n")).toEqual([
		"refs/heads/--all",
		"refs/heads/ccg-sync",
		"refs/heads/trunk",
	]); // prettier-ignore
	expect(inBare("rev-list", "--count", "trunk").trim()).toBe("1");
});

test("a command that is told for a public remote names it as what is typed", () => {
	const [remote, name] = ["https://example.org/me/memory.git", "example.org/me/memory"];
	const address = plainAddress(`git:${remote}`, { cwd: "/", env: {} }, name);
	expect(anew({ address } as Opened)).toContain(`ccg sync join 'git:${remote}' --public ${name} --anew`);
	const other = plainAddress(`git:${remote}`, { cwd: "/", env: {} });
	expect(anew({ address: other } as Opened)).toContain(`ccg sync join 'git:${remote}' --anew`);
});

test("many that push at once all get through, and no one's is lost", { timeout: 60_000 }, async () => {
	const { open, base } = place("crowd");
	await send(open("first"), ME, batches(1, 1));
	const machines = ["1", "2", "3", "4"].map((digit) => digit.repeat(32));
	await Promise.all(
		machines.map(async (machine) => {
			for (let seq = 1; seq <= 3; seq++) await send(open(machine), machine, batches(seq, seq));
		}),
	);
	for (const machine of machines) expect(await read(open("first"), machine)).toEqual([1, 2, 3]);
	expect(existsSync(join(base, "first", "folder"))).toBe(true);
});

test("a branch that was deleted gets back what is known of the space; one written anew is what counts else", async () => {
	const { open, inBare, files, workTree } = place("anew");
	const one = await open();
	await one.put("space", Buffer.from("whose"));
	await send(one, ME, batches(1, 2));
	await send(open("other"), OTHER, batches(1, 1));
	await read(open(), OTHER);
	inBare("update-ref", "-d", "refs/heads/ccg-sync");
	await send(open(), ME, batches(3, 3));
	expect(files()).toHaveLength(3);
	// the chain of one was cut off: it is told what lacks, and adds it
	const tree = workTree();
	tree("rm", "-qr", `ccg-sync/${SPACE}/${ME}`);
	tree("commit", "-q", "--amend", "-m", "cut");
	tree("push", "-qf", "far", "ccg-sync");
	const again = await open();
	expect((await again.heads()).has(ME)).toBe(false);
	await send(again, ME, batches(1, 3));
	expect(await read(open("other"), ME)).toEqual([1, 2, 3]);
	expect(await read(open("other"), OTHER)).toEqual([1]);
});

test("a clone that is half made, locked or damaged is made anew", async () => {
	const { open, base } = place("damage");
	await send(open("other"), OTHER, batches(1, 1));
	const repository = join(base, "clone", "repository");
	const damages: (() => void)[] = [
		() => mkdirSync(join(repository, "refs"), { recursive: true }),
		() => writeFileSync(join(repository, "HEAD"), ""),
		() => writeFileSync(join(repository, "config"), "[core"),
		() => writeFileSync(join(repository, "refs/ccg/remote.lock"), ""),
		() => writeFileSync(join(repository, "ccg-index.lock"), ""),
		() => rmSync(join(repository, "objects"), { recursive: true }),
		() => writeFileSync(join(repository, "shallow.lock"), ""),
		() => writeFileSync(join(base, "clone/folder/ccg-sync", SPACE, OTHER, "0000000001.log"), "half"),
		() => symlinkSync("/etc", join(base, "clone/folder/ccg-sync", SPACE, "d".repeat(32))),
	];
	for (const [i, damage] of damages.entries()) {
		damage();
		await send(open("other"), OTHER, batches(i + 2, i + 2));
		expect(await read(open(), OTHER), String(damage)).toHaveLength(i + 2);
		damage === damages.at(-1) || damage();
		await send(open(), ME, batches(i + 1, i + 1));
	}
	expect(await read(open("other"), ME)).toHaveLength(damages.length);
});

test("by ssh's protocol, with three homes: offline and online, each has what the others wrote", {
	timeout: 120_000,
}, async () => {
	const { base, bare } = place("ssh");
	const ssh = join(base, "ssh");
	writeFileSync(
		ssh,
		`#!/bin/sh\n[ -e ${base}/down ] && { echo "ssh: connect to host far.invalid: no route" >&2; exit 255; }\nfor last; do :; done\nexec sh -c "$last"\n`,
	);
	chmodSync(ssh, 0o755);
	const remote = `far.invalid:${bare}`;
	const reached = (root: string) => ({
		...{
			clone: join(root, "sync/git"),
			env: { PATH, HOME: join(root, "none"), GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: "simple" },
		},
	}); // prettier-ignore
	const by: Reached = {
		async open(space, create, root) {
			const { clone, env } = reached(root);
			return gitCarrier(clone, remote, space, { env, create });
		},
		spaces: (root) => spacesInGit(reached(root).clone, remote, { env: reached(root).env }),
	};
	const names = ["ann", "bob", "cid"];
	const all = names.map((name) => machineAt(base, name, remote, by)) as [TestMachine, TestMachine, TestMachine];
	const [a, b, c] = all;
	await a.init();
	await a.share(["notes"], PROJECT);
	for (const one of [b, c]) {
		const code = await one.join();
		await one.share(["notes"], PROJECT);
		await a.sync();
		await a.confirm(code);
		await a.sync();
	}
	for (const one of [b, c]) await one.sync();
	writeFileSync(join(base, "down"), "");
	for (const one of all) one.save(`of ${one.name}`);
	for (const one of all) await expect(one.sync()).rejects.toMatchObject({ code: "EOFFLINE", message: /no route/ });
	rmSync(join(base, "down"));
	for (let round = 0; round < 2; round++) await Promise.all(all.map((one) => one.sync()));
	for (const one of all)
		expect((await one.foreign()).map((text) => text.split(": of ")[1]).sort()).toEqual(
			names.filter((name) => name !== one.name),
		);
	// the branch is gone: all of it is there again
	gitIn(bare, base, ["update-ref", "-d", "refs/heads/ccg-sync"]);
	for (const one of all) expect((await one.sync()).problems).toEqual([]);
	const d = machineAt(base, "dan", remote, by);
	const code = await d.join();
	await d.share(["notes"], PROJECT);
	await a.confirm(code);
	await a.sync();
	await d.sync();
	expect(await d.foreign()).toHaveLength(3);
});

test("killed at any moment, the next one goes on: a beginning is there, each whole, and all of it in the end", {
	timeout: 120_000,
}, async () => {
	const { base, bare, home, open } = place("kill");
	await send(open("other"), OTHER, batches(1, 1));
	const script = `
		const { gitCarrier } = await import(${JSON.stringify(join(import.meta.dirname, "../../src/sync/git.ts"))});
		const open = () => gitCarrier(${JSON.stringify(join(base, "clone"))}, ${JSON.stringify(bare)}, "${SPACE}", { env: { PATH: process.env.PATH, HOME: ${JSON.stringify(home)} }, create: true });
		for (;;) {
			const carrier = await open();
			const to = (await carrier.heads()).get("${ME}")?.to ?? 0;
			await carrier.append("${ME}", [1, 2].map((n) => ({ seq: to + n, project: "${PROJECT}", bytes: Buffer.from("x " + (to + n)) })));
			await carrier.push();
			await carrier.close();
			console.log(to + 2);
		}`;
	let acknowledged = 0;
	for (let round = 0; round < 8; round++) {
		const child = startBun(["-e", script]);
		child.stdout!.on("data", (said) => {
			acknowledged = Number(String(said).trim().split("\n").at(-1));
		});
		await Bun.sleep(250 + 97 * round);
		child.kill("SIGKILL");
		await child.catch(() => {});
		const got = await read(open("other"), ME);
		expect(got).toEqual(Array.from({ length: got.length }, (_, i) => i + 1));
		expect(got.length).toBeGreaterThanOrEqual(acknowledged);
	}
	expect(acknowledged).toBeGreaterThan(0);
	await send(open(), ME, batches(1, acknowledged + 10));
	expect((await read(open("other"), ME)).length).toBe(acknowledged + 10);
});
