import {
	chmodSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { sessionFields } from "../../src/doctor/sandbox.ts";
import { Transcript } from "../kit/events.ts";
import { LAUNCHER, linesOf, listing, run, sandbox } from "../kit/sandbox.ts";

/** A home in which every kind of write is done by real processes. */
function world() {
	const at = sandbox("guard");
	new Transcript(at.project).typed("Never push.").usage(150_000).write(at.transcript);
	const hook = (name: string, fields: object = {}): [string[], object?] => [
		["hook", name],
		{ ...sessionFields(at), cwd: at.project, ...fields },
	];
	const steps = [
		hook("post-tool-use"),
		hook("pre-tool-use"),
		hook("post-tool-use"),
		hook("pre-compact", { trigger: "manual" }),
		hook("session-start", { source: "compact" }),
		hook("pre-tool-use"),
		hook("session-start", { source: "startup" }),
		[["memory", "save", "Tests need Redis."]],
		[["memory", "save", "--target", "log", "Went home."]],
		[["install", "--yes"]],
		[["uninstall", "--yes"]],
	] as [string[], object?][];
	const go = async (umask: string, most = steps.length): Promise<void> => {
		const shell = ["/bin/sh", "-c", `umask ${umask}; exec "$@"`, "sh", LAUNCHER];
		for (const [args, input = ""] of steps.slice(0, most))
			await run([...shell, ...args], { env: { HOME: at.home }, cwd: at.project, input });
	};
	// an uninstall would take away what an install left behind a link
	return { ...at, go, goUninstalled: () => go("022", steps.length - 1) };
}

const modeOf = (path: string): number => lstatSync(path).mode & 0o777;

test("folders that stand open are closed", async () => {
	const { store, go } = world();
	await go("022");
	const own = listing(store, "").filter((path) =>
		/\/(?:sessions|run|log|install|projects)(?:\/|$)/.test(path.slice(store.length)),
	);
	const folders = own.filter((path) => lstatSync(path).isDirectory() && !path.includes("projects/"));
	expect(folders.length).toBeGreaterThan(8);
	for (const path of folders) chmodSync(path, 0o777);
	await go("022");
	expect(folders.filter((path) => (modeOf(path) & 0o077) !== 0)).toEqual([]);
});

/** Every path of the store that a run writes, from a run without links. */
const written = await (async () => {
	const { store, go } = world();
	await go("022");
	// an uninstall drops its receipt
	return [...listing(store, "").map((path) => path.slice(store.length + 1)), "install"];
})();

/** Names that hold the time are planted as their folders. */
const TIMED = /precompact_checkpoint|\d{4}-\d\d-\d\d|claude-memory-|receipt|\.lock$|projects\/|MEMORY\.md$/;

describe("a link planted where the store writes is not followed", () => {
	const named = written.filter((path) => !TIMED.test(path));
	test("there are such paths", () => expect(named.length).toBeGreaterThan(12));

	test.each(named)("%s", async (path) => {
		const { home, store, goUninstalled } = world();
		const outside = join(home, "outside");
		mkdirSync(outside);
		writeFileSync(join(outside, "file"), "mine\n");
		const isFolder = !/\.|latest|\/s-1$/.test(path) || path === "sessions/s-1";
		mkdirSync(dirname(join(store, path)), { recursive: true });
		symlinkSync(isFolder ? outside : join(outside, "file"), join(store, path));
		await goUninstalled();
		expect(readdirSync(outside)).toEqual(["file"]);
		expect(readFileSync(join(outside, "file"), "utf8")).toBe("mine\n");
	});

	test("nor a link in the place of a project's log", async () => {
		const { home, store, go } = world();
		await go("022");
		const [key] = readdirSync(join(store, "projects"));
		const [log, outside] = [join(store, "projects", key!, "log"), join(home, "outside")];
		renameSync(log, outside);
		symlinkSync(outside, log);
		const texts = () => readdirSync(outside).map((name) => readFileSync(join(outside, name), "utf8"));
		const before = texts();
		await go("022");
		expect(texts()).toEqual(before);
		expect(linesOf(join(store, "log", "ccg.log")).at(-1)).toContain("is a symbolic link");
	}, 60_000);

	test("and the store itself may lie behind one", async () => {
		const { home, store, go } = world();
		mkdirSync(join(home, "elsewhere"));
		symlinkSync(join(home, "elsewhere"), store);
		await go("022");
		expect(readdirSync(join(home, "elsewhere"))).toContain("sessions");
	});
});
