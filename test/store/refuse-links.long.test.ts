import {
	chmodSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { Transcript } from "../kit/events.ts";
import { LAUNCHER, linesOf, listing, run } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

const SID = "s-1";

/** A home in which every kind of write is done by real processes. */
function world() {
	const home = scratch("guard");
	const project = join(home, "project");
	mkdirSync(project);
	const transcript = new Transcript(project).typed("Never push.").usage(150_000).write(join(home, "t.jsonl"));
	const store = join(home, ".claude-memory");
	const hook = (name: string, fields: object) => ({
		command: [LAUNCHER, "hook", name],
		input: { session_id: SID, transcript_path: transcript, cwd: project, ...fields },
	});
	const steps = [
		hook("post-tool-batch", {}),
		hook("pre-tool-use", {}),
		hook("post-tool-batch", {}),
		hook("pre-compact", { trigger: "manual" }),
		hook("session-start", { source: "compact" }),
		hook("pre-tool-use", {}),
		hook("session-start", { source: "startup" }),
		{ command: [LAUNCHER, "memory", "save", "Tests need Redis."], input: "" },
		{ command: [LAUNCHER, "memory", "save", "--target", "log", "Went home."], input: "" },
		{ command: [LAUNCHER, "install", "--yes"], input: "" },
		{ command: [LAUNCHER, "uninstall", "--yes"], input: "" },
	];
	return { home, store, project, steps, go: go(home, project, steps) };
}

const go =
	(home: string, cwd: string, steps: { command: string[]; input: object | string }[]) =>
	async (umask: string, upTo?: "without uninstall") => {
		// it would take away what an install left behind a link
		for (const { command, input } of upTo ? steps.slice(0, -1) : steps)
			await run(["/bin/sh", "-c", `umask ${umask}; exec "$@"`, "sh", ...command], { env: { HOME: home }, cwd, input });
	};

describe.each(["000", "022", "077"])("under umask %s", (umask) => {
	test("files are 0600 and folders 0700", async () => {
		const { store, go } = world();
		await go(umask);
		const all = [store, ...listing(store, "")];
		expect(all.length).toBeGreaterThan(20);
		const open = all.filter((path) => {
			const stat = lstatSync(path);
			return (stat.mode & 0o777) !== (stat.isDirectory() ? 0o700 : 0o600);
		});
		expect(open).toEqual([]);
	});
});

test("folders that stand open are closed", async () => {
	const { store, go } = world();
	await go("022");
	const own = listing(store, "").filter((path) => /sessions|run|log|install|projects/.test(path.slice(store.length)));
	const folders = own.filter((path) => lstatSync(path).isDirectory() && !path.includes("projects/"));
	expect(folders.length).toBeGreaterThan(8);
	for (const path of folders) chmodSync(path, 0o777);
	await go("022");
	expect(folders.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([]);
});

/** Every path of the store that a run writes, from a run without links. */
const written = await (async () => {
	const { store, go } = world();
	await go("022");
	// an uninstall drops its backup
	return [...listing(store, "").map((path) => path.slice(store.length + 1)), "install"];
})();

describe("a link planted where the store writes is not followed", () => {
	const named = written
		// names that hold the time are planted as their folders
		.filter((path) => !/precompact_checkpoint|\d{4}-\d\d-\d\d|claude-memory-|\.lock$/.test(path))
		.filter((path) => !/projects\/|MEMORY\.md$/.test(path));
	test("there are such paths", () => expect(named.length).toBeGreaterThan(12));

	test.each(named)("%s", async (path) => {
		const { home, store, go } = world();
		const outside = join(home, "outside");
		mkdirSync(outside);
		writeFileSync(join(outside, "file"), "mine\n");
		const isFolder = !/\.|latest|\/s-1$/.test(path) || path === "sessions/s-1";
		const target = isFolder ? outside : join(outside, "file");
		mkdirSync(dirname(join(store, path)), { recursive: true });
		symlinkSync(target, join(store, path));
		await go("022", "without uninstall");
		expect(readdirSync(outside)).toEqual(["file"]);
		expect(readFileSync(join(outside, "file"), "utf8")).toBe("mine\n");
	});

	test("nor a link in the place of a project's folder or of its log", async () => {
		const { home, store, go } = world();
		await go("022");
		const [key] = readdirSync(join(store, "projects"));
		const outside = join(home, "outside");
		renameSync(join(store, "projects", key!, "log"), outside);
		symlinkSync(outside, join(store, "projects", key!, "log"));
		const before = readdirSync(outside).map((name) => readFileSync(join(outside, name), "utf8"));
		await go("022");
		expect(readdirSync(outside).map((name) => readFileSync(join(outside, name), "utf8"))).toEqual(before);
		expect(linesOf(join(store, "log", "ccg.log")).at(-1)).toContain("is a symbolic link");
	});

	test("and the store itself may lie behind one", async () => {
		const { home, store, go } = world();
		mkdirSync(join(home, "elsewhere"));
		symlinkSync(join(home, "elsewhere"), store);
		await go("022");
		expect(readdirSync(join(home, "elsewhere"))).toContain("sessions");
	});
});
