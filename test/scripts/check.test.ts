import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { scratch } from "../scratch-home.ts";

const check = (...args: string[]) => {
	const { status, stdout, stderr } = spawnSync("/bin/sh", ["scripts/check", ...args], {
		env: { HOME: scratch("home"), PATH: "/usr/bin:/bin" },
		encoding: "utf8",
		timeout: 4_000,
	});
	return { code: status, out: stdout, err: stderr };
};

test.each(["--help", "-h"])("%s prints the usage and runs nothing", (flag) => {
	const { code, out, err } = check(flag);
	expect({ code, err }).toEqual({ code: 0, err: "" });
	expect(out).toMatch(/^Everything that must pass/);
	expect(out).toContain("npm test -- --no-e2e");
	expect(out).not.toContain("== build");
});

test.each([["--noe2e"], ["--no-e2e", "x"], [""]])("%j is wrong use, told before anything runs", (...args) => {
	const { code, out, err } = check(...args);
	expect({ code, out }).toEqual({ code: 2, out: "" });
	expect(err).toContain(`unknown argument '${args.at(-1)}'`);
	expect(err).toContain("--help");
});
