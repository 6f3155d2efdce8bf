import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MAX_DOCUMENT } from "../../src/sync/carrier.ts";
import { gitIn } from "../kit/git.ts";
import { batches, httpServer, ME, OTHER, PATH, PROJECT, place, read, SPACE, send } from "../kit/git-carrier.ts";
import { printedBy } from "../kit/process.ts";

test("nothing of a hostile repository runs, is followed or read outside, and the rest is read", async () => {
	const { open, base, bare, home, workTree, inBare } = place("hostile");
	const ran = join(base, "ran");
	const script = `#!/bin/sh\ntouch ${ran}\n`;
	// the user's own configuration defines a filter, as git-lfs does, and would start more
	const template = join(base, "template/hooks");
	mkdirSync(template, { recursive: true });
	const program = join(base, "program");
	writeFileSync(program, script);
	chmodSync(program, 0o755);
	for (const hooks of [template, join(bare, "hooks"), join(base, "hooks")])
		for (const hook of [
			"pre-push",
			"post-checkout",
			"post-merge",
			"reference-transaction",
			"pre-receive",
			"update",
			"post-receive",
			"post-update",
			"post-index-change",
			"pre-auto-gc",
		]) {
			mkdirSync(hooks, { recursive: true });
			writeFileSync(join(hooks, hook), script);
			chmodSync(join(hooks, hook), 0o755);
		} // prettier-ignore
	const settings = `[init]\ntemplateDir=${base}/template\n[core]\nfsmonitor=${program}\nhooksPath=${base}/hooks\neditor=${program}\npager=${program}\naskPass=${program}\n[commit]\ngpgSign=true\n[gpg]\nprogram=${program}\n[push]\ngpgSign=if-asked\n[filter "x"]\nclean=${program}\nsmudge=${program}\nrequired=true\n[diff "x"]\ntextconv=${program}\n[merge "x"]\ndriver=${program}\n`;
	await send(open("other"), OTHER, batches(1, 2));
	writeFileSync(join(home, ".gitconfig"), settings);
	const tree = workTree();
	const own = `ccg-sync/${SPACE}`;
	const machine = (digit: string): string => `${own}/${digit.repeat(32)}`;
	const blob = (text: string): string => {
		writeFileSync(join(tree.at, ".git/blob"), text);
		return tree("-c", "core.hooksPath=", "hash-object", "-w", "--no-filters", ".git/blob").trim();
	};
	const line = `${PROJECT} {}\n`;
	const entries = [
		`100644 ${blob("* filter=x diff=x merge=x\n")}\t.gitattributes`,
		`100644 ${blob("* filter=x diff=x merge=x\n")}\t${own}/.gitattributes`,
		`120000 ${blob("/etc")}\t${machine("1")}`,
		`120000 ${blob("/etc/passwd")}\t${machine("2")}/0000000001.log`,
		`120000 ${blob("/etc/passwd")}\t${own}/documents/space`,
		`160000 ${"1".repeat(40)}\t${machine("3")}`,
		`100755 ${blob(line)}\t${machine("4")}/0000000001.log`,
		`100644 ${blob("x".repeat(MAX_DOCUMENT + 1))}\t${machine("6")}/0000000001.log`,
		`100644 ${blob('[submodule "x"]\n\tpath = x\n\turl = ext::x\n\tupdate = !x\n')}\t.gitmodules`,
		`100644 ${blob(line)}\t${machine("7")}/0000000001.log`,
		`100644 ${blob(line)}\t${machine("7")}/0000000001.log.d/x`,
		`100644 ${blob(line)}\t${own}/documents/a b`,
		`100644 ${blob(line)}\t${own}/-n`,
		`100644 ${blob(line)}\t${own}/documents/x\nreset refs/heads/made`,
	];
	for (const entry of entries)
		tree(
			"-c",
			"core.hooksPath=",
			"-c",
			"core.fsmonitor=false",
			"update-index",
			"--add",
			"--cacheinfo",
			entry.replace(" ", ",").replace("\t", ","),
		); // prettier-ignore
	const safe = ["-c", "core.hooksPath=", "-c", "core.fsmonitor=false"];
	tree(...safe, "commit", "-qm", "x", "--no-verify");
	tree(...safe, "push", "-q", "--receive-pack=git -c core.hooksPath= receive-pack", "--no-verify", "far", "ccg-sync");
	inBare(...safe, "config", "receive.denyCurrentBranch", "updateInstead");
	inBare(...safe, "config", "core.alternateRefsCommand", program);
	rmSync(ran, { force: true });
	const carrier = await open();
	expect([...(await carrier.heads()).keys()]).toEqual(["7".repeat(32), OTHER]);
	expect(await carrier.list("")).toEqual([]);
	await carrier.put("space", Buffer.from("mine"));
	await send(carrier, ME, batches(1, 1));
	expect(await read(open("third"), ME)).toEqual([1]);
	expect(await read(open("third"), OTHER)).toEqual([1, 2]);
	expect(existsSync(ran)).toBe(false);
	// else the attack proves nothing
	gitIn(base, home, ["clone", "-q", "-b", "ccg-sync", bare, join(base, "out")]);
	expect(existsSync(ran)).toBe(true);
	rmSync(ran);
	tree(...safe, "push", "-q", "--no-verify", "far", "HEAD:refs/heads/more");
	expect(existsSync(ran)).toBe(true);
});

test("a repository that answers without a password is refused, unless that is meant; the user's own helper gives one", async () => {
	const { base, bare, open, files } = place("public");
	await send(open("first"), OTHER, batches(1, 1));
	const server = await httpServer(base);
	const offer = async (seq: number, more: object): Promise<unknown> => {
		const opening = open("clone", more, server.address);
		const closed = (): unknown => opening.then((carrier) => carrier.close()).catch(() => {});
		return send(opening, ME, batches(1, seq))
			.catch((error) => error)
			.finally(closed);
	};
	try {
		const name = "127.0.0.1/far.git".replace(/\.git$/, "");
		expect(await offer(1, {})).toMatchObject({
			code: "EPUBLIC",
			message: expect.stringContaining(`--public ${name}`),
		});
		expect(files()).toHaveLength(1);
		expect(await offer(1, { isPublicMeant: true })).toBe(undefined);
		expect(files()).toHaveLength(2);
		server.asked.password = "secret";
		expect(await offer(2, {})).toMatchObject({ code: "EOFFLINE" });
		const helper = join(bare, "helper");
		writeFileSync(helper, '[credential]\n\thelper = "!f() { echo username=me; echo password=secret; }; f"\n');
		const env = { PATH, HOME: bare, GIT_CONFIG_GLOBAL: helper };
		expect(await offer(2, { env })).toBe(undefined);
		expect(await read(open("first"), ME)).toEqual([1, 2]);
		// without a password no more, from one push to the next
		server.asked.password = "";
		expect(await offer(3, { env })).toMatchObject({ code: "EPUBLIC" });
	} finally {
		server.close();
	}
});

test("what is no address, no repository or no git is told, and a password is not repeated", async () => {
	const { base, open } = place("odd");
	for (const remote of [
		"--upload-pack=x",
		"ext::sh -c x",
		"relative/path",
		"https://me:secret@far.invalid/x",
		"https://token@far.invalid/x",
		"ssh://me:secret@far.invalid/x",
		"a b:c",
	])
		await expect(open("clone", {}, remote), remote).rejects.toThrow(
			expect.objectContaining({ code: "EPLACE", message: expect.not.stringContaining("secret") }),
		); // prettier-ignore
	await expect(open("clone", {}, join(base, "none"))).rejects.toMatchObject({ code: "EOFFLINE" });
	await expect(open("clone", { create: false })).rejects.toThrow("does not hold the space");
	const empty = join(base, "empty");
	mkdirSync(empty);
	await expect(open("clone", { env: { PATH: empty, HOME: base } })).rejects.toMatchObject({ code: "ENOGIT" });
	writeFileSync(join(empty, "git"), "#!/bin/sh\necho git version 2.20.1\n");
	chmodSync(join(empty, "git"), 0o755);
	await expect(open("clone", { env: { PATH: empty, HOME: base } })).rejects.toThrow("git 2.20.1 is too old");
	expect(printedBy(["git", "--version"])).toMatch(/^git version/);
});
