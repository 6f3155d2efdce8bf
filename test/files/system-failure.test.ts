import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isWithin, realPath } from "../../src/files/real-path.ts";
import { errorText, failedPath, systemReason } from "../../src/files/system-failure.ts";
import { scratch } from "../scratch-home.ts";

const failed = (code: string, path?: string) =>
	Object.assign(new Error(`${code}: as the system has it, open '${path}'`), { code, syscall: "open", path });

test.each([
	[failed("EACCES"), "permission denied"],
	[failed("ENOSPC"), "the disk is full; make room on it"],
	[failed("EXDEV"), "EXDEV"],
	[new Error("not of the system"), null],
	[Object.assign(new Error("a code of ours"), { code: "ELOCKED" }), null],
	["a text", null],
	[null, null],
])("why a call to the system failed (%s)", (error, reason) => {
	expect(systemReason(error)).toBe(reason);
	expect(errorText(error)).toBe(reason ?? (error instanceof Error ? error.message : String(error)));
});

test("the path is the file's, not its temp file's", () => {
	expect(failedPath(failed("EROFS", "/store/.state.json.42.a1b2.tmp"))).toBe("/store/state.json");
	expect(failedPath(failed("EROFS"))).toBe(null);
});

describe("a path that is resolved", () => {
	test.each([
		["links, and .. behind one", "link/../x", "deep/x"],
		["what is missing keeps its name", "gone/./a/../b", "gone/b"],
		["from a missing folder back into a link", "gone/../link/x", "deep/er/x"],
		["links in a circle", "circle/x", "circle/x"],
	])("%s", (_, path, real) => {
		const top = realPath(scratch("real-path"));
		mkdirSync(`${top}/deep/er`, { recursive: true });
		symlinkSync("deep/er", `${top}/link`);
		symlinkSync("circle", `${top}/circle`);
		expect(realPath(`${top}/${path}`)).toBe(`${top}/${real}`);
	});

	test("in time that grows with its parts; one too long for the kernel lies in no folder and can't be used", () => {
		const top = realPath(scratch("real-path"));
		const many = `${top}/gone${"/a".repeat(1_950)}`;
		const from = performance.now();
		expect(realPath(many)).toBe(many);
		expect(performance.now() - from).toBeLessThan(300);
		const [inside, outside] = [`${top}/${"a/".repeat(10_000)}x`, `${top}${"/a/..".repeat(1_000)}/../x`];
		for (const path of [inside, outside]) {
			const real = realPath(path);
			expect(isWithin(real, top) || isWithin(join(real, "../../x"), top)).toBe(false);
			expect(() => readFileSync(real)).toThrow(/ENAMETOOLONG/);
		}
		expect(performance.now() - from).toBeLessThan(600);
	});
});
