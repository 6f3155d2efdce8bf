import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inScratchFolder } from "../../src/install/scratch-folder.ts";
import { scratch } from "../scratch-home.ts";

const SOURCE = join(import.meta.dirname, "..", "..", "src", "install");

/** A process that makes a folder, starts a program that hangs, and tells both. */
async function hanging() {
	const tmp = scratch("signals");
	const script = join(tmp, "run.ts");
	writeFileSync(
		script,
		`import { inScratchFolder } from "${SOURCE}/scratch-folder.ts";
		import { runProcess } from "${SOURCE}/run-process.ts";
		import { writeFileSync } from "node:fs";
		await inScratchFolder("ccg-doctor", (folder) =>
			runProcess(["/bin/sh", "-c", \`echo $$ > ${tmp}/pid; echo \${folder} > ${tmp}/folder; exec sleep 60\`], { cwd: folder, env: process.env }));`,
	);
	const child = spawn(process.execPath, [script], { env: { ...process.env, TMPDIR: tmp }, stdio: "ignore" });
	const ended = new Promise<string | null>((done) => child.once("exit", (_, signal) => done(signal)));
	const read = (name: string) => (existsSync(join(tmp, name)) ? readFileSync(join(tmp, name), "utf8").trim() : "");
	while (!read("folder")) await Bun.sleep(10);
	return { child, ended, folder: read("folder"), pid: Number(read("pid")) };
}

const isRunning = (pid: number): boolean => {
	try {
		// a zombie still has its number
		return process.kill(pid, 0) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
	} catch {
		return false;
	}
};

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s ends what runs, and leaves no folder", async (signal) => {
	const { child, ended, folder, pid } = await hanging();
	expect(existsSync(folder)).toBe(true);
	child.kill(signal);
	expect(await ended).toBe(signal);
	expect(existsSync(folder)).toBe(false);
	await expect.poll(() => isRunning(pid)).toBe(false);
});

test("one that throws leaves none either, and nobody listens any more", async () => {
	const listeners = process.listenerCount("SIGINT");
	const failed = inScratchFolder("ccg-doctor", async (own) => {
		expect(existsSync(own)).toBe(true);
		throw new Error(own);
	});
	const own = await failed.catch((error: Error) => error.message);
	expect([existsSync(String(own)), process.listenerCount("SIGINT")]).toEqual([false, listeners]);
});
