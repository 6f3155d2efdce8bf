/** What the runner gives bundles on Node, held against Bun's own. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bun } from "../../src/node/bun.ts";
import { scratch } from "../scratch-home.ts";

const node = bun("/ccg/dist/hooks/stop.js");
const LINES = [
	"",
	"plain",
	"ümläut é",
	"漢字と仮名",
	"👩‍👩‍👧 family 🇩🇪 flag ✅",
	"\x1b[2mdim\x1b[0m and \x1b[38;5;9mred\x1b[39m words",
	"…—·↑⚠",
	"a long line of many words that has to go on in the next and one_word_that_is_longer_than_the_room",
];

test("widths and sliced lines are Bun's", () => {
	expect(node.stringWidth("zero\u200bwidth\u2060joined\u0007")).toBe(
		Bun.stringWidth("zero\u200bwidth\u2060joined\u0007"),
	);
	for (const line of LINES) {
		expect([line, node.stringWidth(line)]).toEqual([line, Bun.stringWidth(line)]);
		for (const room of [8, 20, 60]) {
			const all = Bun.stringWidth(line);
			expect(node.sliceAnsi(line, 0, room)).toBe(Bun.sliceAnsi(line, 0, room));
			expect(node.sliceAnsi(line, Math.max(0, all - room), all)).toBe(
				Bun.sliceAnsi(line, Math.max(0, all - room), all),
			);
		}
	}
});

test("hashes, packed bytes and the order of versions are Bun's", () => {
	const hash = (of: {
		CryptoHasher: new (name: "sha256") => { update(text: string): { digest(as: "hex"): string } };
	}) => new of.CryptoHasher("sha256").update("a path").digest("hex");
	expect(hash(node as never)).toBe(hash(Bun as never));
	const bytes = Buffer.from(LINES.join("\n").repeat(50));
	expect(Buffer.from(Bun.inflateSync(node.deflateSync(bytes, { level: 1 }) as never))).toEqual(bytes);
	expect(Buffer.from(node.inflateSync(Bun.deflateSync(bytes, { level: 1, library: "libdeflate" })))).toEqual(bytes);
	expect(() => node.inflateSync(Buffer.from("no stream"))).toThrow();
	const versions = ["2.1.9", "2.1.100", "2.1.100-beta.2", "2.1.100-beta.10", "2.2.0", "10.0.0", "2.1.9-rc"];
	for (const a of versions)
		for (const b of versions) expect([a, b, node.semver.order(a, b)]).toEqual([a, b, Bun.semver.order(a, b)]);
});

test("programs are run as Bun runs them", async () => {
	for (const { spawn, spawnSync } of [node, Bun as unknown as typeof node]) {
		const child = spawn(["/bin/sh", "-c", "cat; echo $A; pwd; exit 3"], {
			env: { A: "x", B: undefined },
			cwd: "/",
			stdin: new Blob(["in "]),
			stdout: "pipe",
			stderr: "ignore",
			detached: true,
		});
		let out = "";
		for await (const chunk of child.stdout!) out += Buffer.from(chunk as Uint8Array).toString();
		expect([out, await child.exited]).toEqual(["in x\n/\n", 3]);
		const file = join(scratch(), "out");
		expect(spawnSync(["/bin/sh", "-c", `cat >'${file}'; exit 4`], { stdin: Buffer.from("text") }).exitCode).toBe(4);
		expect(readFileSync(file, "utf8")).toBe("text");
		// one that reads nothing of much
		expect(spawnSync(["/bin/sh", "-c", "exit 5"], { stdin: Buffer.alloc(1 << 20) }).exitCode).toBe(5);
	}
});
