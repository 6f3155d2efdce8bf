import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Carrier } from "../../src/sync/carrier.ts";
import { openCarrier } from "../../src/sync/carriers.ts";
import { syncOnce } from "../../src/sync/exchange.ts";
import { scratch } from "../scratch-home.ts";
import { randomOf, rememberedIn } from "./document-histories.ts";
import { documentsServer } from "./documents-server.ts";
import { gitIn } from "./git.ts";
import { membersAt, syncAll } from "./sync-machines.ts";
import { canRun } from "./with-programs.ts";

/** A carrier that is cut off at any step, before what it does or behind it. */
function cutOff(carrier: Carrier, random: (below: number) => number): Carrier {
	let left = random(12);
	const step = async <T>(act: () => Promise<T>): Promise<T> => {
		if (left-- === 0 && random(2) === 0) throw new Error("cut off before");
		const given = await act();
		if (left === 0) throw new Error("cut off behind");
		return given;
	};
	return {
		list: () => step(() => carrier.list()),
		get: (machine) => step(() => carrier.get(machine)),
		put: (machine, bytes) => step(() => carrier.put(machine, bytes)),
		[Symbol.asyncDispose]: () => carrier[Symbol.asyncDispose](),
	};
}

const NAMES = ["ann", "bob", "cid"];

/** Tests that play so many histories by each carrier, cut off at any step. */
export function testCarriers(counts: { folder: number; git: number; postgres: number }, timeout: number): void {
	const play = async (count: number, addressIn: (base: string) => string, before = async () => {}) => {
		for (let seed = 1; seed <= count; seed++) {
			await before();
			await playMachines(seed, addressIn);
		}
	};
	test("by a folder, cut off at any step", { timeout }, () => play(counts.folder, (base) => join(base, "shared")));
	test("by a git repository, cut off at any step", { timeout }, () =>
		play(counts.git, (base) => {
			gitIn(base, base, ["init", "-q", "--bare", join(base, "far.git")]);
			return `git:${join(base, "far.git")}`;
		}),
	);
	test.skipIf(!canRun("postgres"))("by PostgreSQL, cut off at any step", { timeout }, async () => {
		const server = await documentsServer(NAMES);
		const addressIn = (base: string): string => {
			for (const name of NAMES) {
				mkdirSync(join(base, name), { recursive: true });
				writeFileSync(join(base, name, ".pgpass"), "*:*:*:ann:pw-ann\n", { mode: 0o600 });
			}
			return server.addressOf("ann");
		};
		const empty = async () => void (await server.sql("TRUNCATE ccg.documents", "team"));
		await play(counts.postgres, addressIn, empty).finally(server.end);
	});
}

/** Three machines that save, edit, delete and take each other's place, while exchanges are cut off; in the end all say the same, and nothing is lost. */
async function playMachines(seed: number, addressIn: (base: string) => string, steps = 30): Promise<void> {
	const random = randomOf(seed);
	const base = scratch(`history-${seed}`);
	mkdirSync(join(base, "shared"));
	const machines = await membersAt(base, addressIn(base), NAMES);
	/** What was said and nobody changed or deleted. */
	const lasting = new Set<string>();
	for (let i = 0; i < steps; i++) {
		const one = machines[random(machines.length)]!;
		const act = random(8);
		const text = `text number ${seed}.${i}.`;
		const all = act === 4 ? one.foreign() : one.notes();
		const before = act < 2 ? "" : (all[random(all.length)] ?? "");
		const after = act === 3 || (act === 4 && random(2) === 0) ? null : text;
		if (act < 2) one.save(text);
		else if (act === 2 && before) one.edit(before, text);
		else if (act === 3 && before) one.remove(before);
		else if (act === 4 && before) {
			// (refused where it does not stand any more)
			const refused = await one.change(before, after).catch(({ message }) => message);
			expect(refused ?? "no note that stands").toContain("no note that stands");
			if (refused) continue;
		} else {
			const opened = one.opened();
			const open = async () => cutOff(await openCarrier(opened, {}), random);
			await syncOnce(opened, open, { isConfirmed: true }).catch(() => {});
			continue;
		}
		lasting.delete(before);
		if (after !== null) lasting.add(after);
	}
	for (const one of [...machines, ...machines]) await one.sync(true);
	await syncAll(machines, 5);
	const views = machines.map((one) => [...new Set([...one.notes(), ...one.foreign()])].sort());
	for (const view of views) expect(view, `seed ${seed}`).toEqual([...lasting].sort());
	for (const one of machines) {
		expect(one.last().problems, `seed ${seed}`).toEqual([]);
		expect(rememberedIn(await one.own()), `seed ${seed}`).toEqual([]);
	}
}
