import { expect, test } from "vitest";
import { runNow } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";

const check = (...args: string[]) =>
	runNow(["/bin/sh", "scripts/check", ...args], {
		env: { HOME: scratch("home"), PATH: "/usr/bin:/bin" },
		limitMs: 4_000,
	});

test.each(["--help", "-h"])("%s prints the usage and runs nothing", (flag) => {
	const { code, out, err } = check(flag);
	expect({ code, err }).toEqual({ code: 0, err: "" });
	expect(out).toMatch(/^What must pass/);
	expect(out).toContain("npm test -- --no-e2e");
	expect(out).not.toContain("== build");
});

test.each([["--noe2e"], ["--no-e2e", "x"], [""]])("%j is wrong use, told before anything runs", (...args) => {
	const { code, out, err } = check(...args);
	expect({ code, out }).toEqual({ code: 2, out: "" });
	expect(err).toContain(`unknown argument '${args.at(-1)}'`);
	expect(err).toContain("--help");
});
