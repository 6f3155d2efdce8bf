import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitIn, programIn } from "../kit/git.ts";
import { membersAt, syncAll, type TestMachine } from "../kit/sync-machines.ts";
import { scratch } from "../scratch-home.ts";
import { struck } from "./struck.ts";

/** `CCG_TEST_KILLS=1000` is the full number. */
const KILLS = Number(process.env.CCG_TEST_KILLS ?? 40);

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
		const trace = join(base, "struck");
		const kill = `(sleep 0.0$(($$ % 5)); echo >>${trace}; kill -9 0) </dev/null >/dev/null 2>&1 &`;
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
			for (const { home, project } of [...all, ...all]) {
				const place = { cwd: project, env: { HOME: home, PATH: process.env.PATH }, isGroup: true };
				const { isKilled } = await struck(["sync", "now", "--yes"], Math.random() * longestMs, place);
				if (isKilled) killed++;
			}
			writeFileSync(calm, "");
			await syncAll(all, 2);
			rmSync(calm);
		}
		writeFileSync(calm, "");
		await syncAll(all, 3);
		// (by chance: some end before their moment)
		expect(killed).toBeGreaterThan(kills / 5);
		expect(existsSync(trace)).toBe(kills < KILLS);
		for (const each of all) {
			expect([...new Set([...each.notes(), ...each.foreign()])].sort()).toEqual([...lasting].sort());
			expect(each.last()).toMatchObject({ problems: [], failed: null });
		}
	},
	900_000,
);
