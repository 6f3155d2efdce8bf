import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { pictures } from "../../scripts/make-pictures.ts";

const FOLDER = join(resolve(import.meta.dirname, "../.."), "docs", "pictures");

test("the README's pictures show what the demo shows today", { timeout: 60_000, retry: 1 }, async () => {
	for (const [name, svg] of Object.entries(await pictures())) {
		const again = `sh scripts/bun scripts/make-pictures.ts makes ${name} anew; look at it before you commit it`;
		const kept = readFileSync(join(FOLDER, name), "utf8");
		const at = [...kept].findIndex((char, i) => char !== svg[i]);
		expect(svg === kept, `${again}: ${svg.slice(Math.max(0, at - 60), at + 60)}`).toBe(true);
		expect(Number(/width="(\d+)"/.exec(svg)![1])).toBeLessThanOrEqual(900);
		expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|\/tmp\/|\/home\//);
	}
});
