import { expect, test } from "vitest";
import { sha256 } from "../../src/store/gate.ts";
import { missingKeys } from "../../src/sync/epochs.ts";
import { pull } from "../../src/sync/exchange.ts";
import { signedLine } from "../../src/sync/keys.ts";
import { write } from "../../src/sync/log.ts";
import { floorsOf, valuesOf } from "../../src/sync/state.ts";
import { documents, Never, snapshotSpace as space } from "../kit/sync-snapshots.ts";
import { PROJECT_ID } from "../kit/sync-space.ts";

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
				const name = documents(shelf, "snapshot/")[0]!.split("/")[1];
				const head = sha256(shelf.documents.get(`snapshot/${name}/head`)!);
				const text = JSON.stringify({ v: 1, space: root.space.id, name, head });
				for (const [machine, own] of [
					[fresh.machine, keys[3]!],
					[root.machine, keys[0]!],
					["f".repeat(32), keys[3]!],
				] as const)
					shelf.documents.set(`confirm/${name}/${machine}`, signedLine("confirm", text, own));
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
