import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { printedBy } from "../kit/process.ts";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

test("two machines share by a git repository; an address with a password is refused", async () => {
	const base = scratch("sync-git");
	const remote = join(base, "memory.git");
	printedBy(["git", "init", "-q", "--bare", remote], { cwd: base, env: { PATH: "/usr/bin:/bin", HOME: base } });
	const machine = (name: string) => {
		const home = join(base, name);
		const project = join(home, "app");
		mkdirSync(project, { recursive: true });
		const ccg = (...args: string[]) =>
			run([LAUNCHER, ...args], { env: { HOME: home, PATH: "/usr/bin:/bin", USER: name }, cwd: project });
		const told = (): string => {
			const projects = join(home, ".claude-memory", "projects");
			return readFileSync(join(projects, readdirSync(projects)[0]!, "shared.md"), "utf8");
		};
		return { ccg, told };
	};
	const [ann, bob] = [machine("ann"), machine("bob")];
	await ann.ccg("memory", "save", "tests run with bun");
	const withPassword = await ann.ccg("sync", "init", "git:https://ann:hunter2@example.org/m.git", "--yes");
	expect(withPassword).toMatchObject({ code: 1, err: expect.stringContaining("holds a password") });
	expect(withPassword.err).not.toContain("hunter2");
	expect(await ann.ccg("sync", "init", `git:${remote}`, "--project", "new", "--yes")).toMatchObject({ code: 0 });
	const { projects } = JSON.parse((await ann.ccg("sync", "status", "--json")).out);
	const code = /ccg sync join ([0-9a-f-]{23})/.exec((await bob.ccg("sync", "join", `git:${remote}`)).out)![1]!;
	expect((await ann.ccg("sync", "join", code)).code).toBe(0);
	expect((await bob.ccg("sync", "init", "--project", projects[0].id, "--yes")).code).toBe(0);
	expect(bob.told()).toMatch(/ann on .*: tests run with bun/);
	await bob.ccg("memory", "save", "the port is 8080");
	expect((await bob.ccg("sync", "now")).code).toBe(0);
	expect((await ann.ccg("sync", "now")).code).toBe(0);
	expect(ann.told()).toMatch(/bob on .*: the port is 8080/);
});
