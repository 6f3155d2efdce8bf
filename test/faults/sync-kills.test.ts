import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitIn, programIn } from "../kit/git.ts";
import { LAUNCHER } from "../kit/sandbox.ts";
import { membersAt, syncAll, type TestMachine } from "../kit/sync-machines.ts";
import { scratch } from "../scratch-home.ts";

/** `CCG_TEST_KILLS=1000` is the full number. */
const KILLS = Number(process.env.CCG_TEST_KILLS ?? 40);

/** Runs `ccg sync now` and ends it after so many ms, with all that it started. Gives whether it was killed. */
async function isStruck({ home, project }: TestMachine, afterMs: number): Promise<boolean> {
	const env = { HOME: home, PATH: process.env.PATH };
	const child = Bun.spawn([LAUNCHER, "sync", "now", "--yes"], {
		...{ cwd: project, env, stdin: "ignore", stdout: "ignore", stderr: "ignore", detached: true },
	});
	const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), afterMs);
	await child.exited;
	clearTimeout(timer);
	return child.signalCode !== null;
}

test.each([
	["a folder", (base: string) => join(base, "shared"), KILLS, 120],
	["a git repository", (base: string) => `git:${join(base, "far.git")}`, KILLS / 2, 300],
] as const)(
	"exchanges killed at random moments: the next ones go on, and nothing is lost or comes back: %s",
	async (_, addressIn, kills, longestMs) => {
		const base = scratch("sync-kills");
		mkdirSync(join(base, "shared"));
		gitIn(base, base, ["init", "-q", "--bare", join(base, "far.git")]);
		const all = await membersAt(base, addressIn(base), ["ann", "bob"]);
		const [ann, bob] = all as [TestMachine, TestMachine];
		// git itself ends too, at any moment of what it transfers
		const calm = join(base, "calm");
		const struck = join(base, "struck");
		const kill = `(sleep 0.0$(($$ % 5)); echo >>${struck}; kill -9 0) </dev/null >/dev/null 2>&1 &`;
		for (const one of all)
			one.startWith(programIn(base, `[ -e ${calm} ] || case " $* " in *" push "*|*" fetch "*) ${kill} esac`));
		const lasting = new Set<string>();
		let killed = 0;
		for (let n = 0; n < kills; n++) {
			const one = n % 2 === 0 ? ann : bob;
			const text = `text number ${n}.`;
			const [before] = n % 3 === 0 ? one.foreign() : one.notes();
			if (n % 3 === 0 && before) await one.change(before, text);
			else if (n % 3 === 1 && before) one.edit(before, text);
			else one.save(text);
			if (before && n % 3 < 2) lasting.delete(before);
			lasting.add(text);
			for (const each of [...all, ...all]) if (await isStruck(each, Math.random() * longestMs)) killed++;
			writeFileSync(calm, "");
			await syncAll(all, 2);
			rmSync(calm);
		}
		writeFileSync(calm, "");
		await syncAll(all, 3);
		expect(killed).toBeGreaterThan(kills / 2);
		expect(existsSync(struck)).toBe(kills < KILLS);
		for (const each of all) {
			expect([...new Set([...each.notes(), ...each.foreign()])].sort()).toEqual([...lasting].sort());
			expect(each.last()).toMatchObject({ problems: [], failed: null });
		}
	},
	900_000,
);
