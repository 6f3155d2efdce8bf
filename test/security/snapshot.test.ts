import { expect, test } from "vitest";
import { sha256 } from "../../src/store/gate.ts";
import { missingKeys } from "../../src/sync/epochs.ts";
import { pull } from "../../src/sync/exchange.ts";
import { type Keys, signedLine } from "../../src/sync/keys.ts";
import { write } from "../../src/sync/log.ts";
import { putSnapshot } from "../../src/sync/snapshot.ts";
import { floorsOf, type Log, membersIn, valuesOf } from "../../src/sync/state.ts";
import type { Shelf } from "../kit/sync-carrier.ts";
import { documents, Never, snapshotSpace as space } from "../kit/sync-snapshots.ts";
import { PROJECT_ID } from "../kit/sync-space.ts";

/** Confirms the one snapshot that there is, whatever it holds. */
function confirmBy(shelf: Shelf, { space }: Log, machine: string, keys: Keys): void {
	const name = documents(shelf, "snapshot/")[0]!.split("/")[1];
	const head = sha256(shelf.documents.get(`snapshot/${name}/head`)!);
	const text = JSON.stringify({ v: 1, space: space.id, name, head });
	shelf.documents.set(`confirm/${name}/${machine}`, signedLine("confirm", text, keys));
}

test("sealed: no text stands in it, and who is taken in later reads it", async () => {
	const { shelf, root, fresh, everybody, exchange, grant, texts } = await space({ isSealed: true });
	await exchange([root, ...everybody, ...everybody]);
	for (const { machine } of everybody) expect(shelf.batches.get(machine) ?? []).toEqual([]);
	expect([...shelf.documents.values()].map((one) => Buffer.from(one).toString()).join("\n")).not.toMatch(/three|note:/);
	grant(root, fresh, "writer");
	write(root, null, missingKeys(root));
	expect(await exchange([root, fresh], Never)).toEqual([]);
	expect(texts(fresh)).toEqual(texts(root));
});

test("nobody confirms a snapshot that holds something else than the batches, or leaves something out", async () => {
	for (const lie of [
		"UPDATE live SET value = '\"forged\"' WHERE item = 'note:2'",
		"DELETE FROM live WHERE item = 'note:3'",
	]) {
		const { shelf, root, writer, everybody, exchange } = await space();
		root.rows.run(lie);
		await exchange([root]);
		await exchange([writer, ...everybody], Never);
		expect(documents(shelf, "confirm/")).toEqual([]);
		expect(floorsOf(writer)).toEqual([]);
		expect(valuesOf(writer, "note:3")).toHaveLength(1);
	}
});

test("a snapshot that a stranger or its maker confirmed, and one that was changed are not taken", async () => {
	const attacks: [string, (made: Awaited<ReturnType<typeof space>>) => Promise<void>][] = [
		[
			"a stranger confirmed it",
			async ({ shelf, keys, fresh, root, exchange }) => {
				await exchange([root]);
				confirmBy(shelf, root, fresh.machine, keys[3]!);
				confirmBy(shelf, root, root.machine, keys[0]!);
				confirmBy(shelf, root, "f".repeat(32), keys[3]!);
			},
		],
		[
			"a part was changed",
			async ({ shelf, root, writer, exchange }) => {
				await exchange([root, writer], Never);
				await exchange([root]);
				await exchange([writer], Never);
				const part = documents(shelf, "snapshot/").find((one) => one.includes(PROJECT_ID))!;
				const text = Buffer.from(shelf.documents.get(part)!).toString();
				shelf.documents.set(part, Buffer.from(text.replace("three", "forged")));
			},
		],
		[
			"a part is not there",
			async ({ shelf, root, writer, exchange }) => {
				await exchange([root]);
				await exchange([writer], Never);
				shelf.documents.delete(documents(shelf, "snapshot/").find((one) => one.includes("space"))!);
			},
		],
	];
	for (const [what, attack] of attacks) {
		const made = await space();
		await attack(made);
		const { problems } = await pull(made.owner, made.carrier);
		expect([floorsOf(made.owner), made.texts(made.owner).includes("forged")], what).toEqual([[], false]);
		expect(problems[0], what).toMatchObject({ machine: made.root.machine, why: expect.stringContaining("not taken") });
	}
});

test("who was an owner gains nothing by a snapshot, and loses nothing that it said as one", async () => {
	const { root, owner, writer, fresh, everybody, exchange, grant, note } = await space();
	grant(root, owner, "writer");
	grant(root, writer, "owner");
	await exchange([...everybody, ...everybody], Never);
	grant(writer, fresh, "reader");
	grant(owner, fresh, "owner");
	note(owner, "9", "behind what it may not say");
	await exchange([...everybody, ...everybody], Never);
	await exchange([root]);
	await exchange([writer, root, ...everybody], Never);
	for (const log of everybody) {
		expect(floorsOf(log).map(({ machine }) => machine)).toContain(owner.machine);
		expect(membersIn(log).get(fresh.machine)?.had).toEqual(["reader"]);
	}
});

test("an owner and a writer who lie together say nothing in the root's name", async () => {
	const { shelf, root, owner, writer, everybody, carrier, keys, exchange } = await space();
	await exchange(everybody, Never);
	const value = { ...membersIn(owner).get(root.machine)!.keys, role: "none", since: 0, name: "r", person: "p" };
	const row = [`${root.machine}:1:77`, root.machine, `member:${root.machine}`, "role", JSON.stringify(value)];
	owner.rows
		.query("INSERT INTO live VALUES(?, ?, ?, ?, ?, ?, ?)")
		.run(...([...row, "f".repeat(16), PROJECT_ID] as never[]));
	await putSnapshot(owner, carrier, "d".repeat(32));
	confirmBy(shelf, root, writer.machine, keys[2]!);
	expect((await pull(root, carrier)).problems[0]?.why).toMatch(/not taken/);
	expect(membersIn(root).get(root.machine)?.role).toBe("owner");
});

test("what bears an owner's name and not its signature keeps nobody from a snapshot", async () => {
	const { shelf, root, owner, keys, exchange } = await space();
	const [name, at] = ["e".repeat(32), root.now()];
	const head = { v: 1, space: root.space.id, machine: owner.machine, name, at, heads: [], parts: [] };
	shelf.documents.set(`snapshot/${name}/head`, signedLine("snapshot", JSON.stringify(head), keys[3]!));
	await exchange([root]);
	expect(documents(shelf, "snapshot/").length).toBeGreaterThan(1);
});
