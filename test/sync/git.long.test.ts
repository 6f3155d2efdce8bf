import { join } from "node:path";
import { expect, test } from "vitest";
import { gitCarrier } from "../../src/sync/git.ts";
import { gitIn, programIn } from "../kit/git.ts";
import { scratch } from "../scratch-home.ts";

const KILLS = 20;

test.each(["push", "fetch"])(
	`git killed with all that it started at ${KILLS} moments of a %s: the next exchange goes well`,
	{ timeout: 120_000 },
	async (word) => {
		const base = scratch(`git-killed-${word}`);
		const far = join(base, "far.git");
		gitIn(base, base, ["init", "-q", "--bare", far]);
		const machine = "1".repeat(32);
		const open = (path = process.env.PATH) => gitCarrier(join(base, "git"), far, true, { HOME: base, PATH: path });
		const putAndGet = async (text: string, path?: string): Promise<void> => {
			await using writer = await open(path);
			await writer.put(machine, Buffer.from(text));
			await using reader = await open(path);
			expect(String(await reader.get(machine))).toBe(text);
		};
		await putAndGet("begins");
		let killed = 0;
		for (let i = 0; i < KILLS; i++) {
			const ms = Math.random() * 40;
			const kill = `(sleep ${ms / 1000}; kill -9 0) </dev/null >/dev/null 2>&1 &`;
			const path = programIn(base, `case " $* " in *" ${word} "*) ${kill} esac`);
			const text = "x".repeat(i * 100_000);
			await putAndGet(text, path).catch(() => killed++);
			await putAndGet(`${text}, and again`);
		}
		expect(killed).toBeGreaterThan(KILLS / 4);
	},
);
