import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { rulesFrom } from "../../../src/core/redact/lazy-rules.ts";
import * as real from "../../../src/core/redact/rules.ts";
import { keepOut, redactDeep, redactJson, redactSecrets } from "../../../src/core/redact/secrets.ts";

const TOKEN = `ghp_${"aZ4kQ9mB2xW7".repeat(3)}`;

describe("without rules nothing goes out that might hold a secret", () => {
	beforeEach(() => {
		keepOut({});
		rulesFrom(() => {
			throw new Error("no such bundle");
		});
	});
	afterAll(() => rulesFrom(() => real));

	test.each([
		["a text", () => redactSecrets(`the key is ${TOKEN}`), "[REDACTED:not-read]"],
		["JSON", () => redactJson(`{"a":"${TOKEN}"}`), '{"a":"[REDACTED:not-read]"}'],
		["a value under a name", () => redactDeep({ password: "hunter" }), { password: "[REDACTED:secret]" }],
		["a value named by its neighbour", () => redactDeep(["--password", "hunter"]), ["--password", "[REDACTED:secret]"]],
		["a name", () => redactDeep({ [TOKEN]: 1 }), { "[REDACTED:not-read]": 1 }],
	])("%s", (_, redacted, expected) => expect(redacted()).toEqual(expected));

	test("a variable whose name only the rules know counts as secret", () => {
		keepOut({ STUDIO_AUTHBLOB: "blue-whale-song" });
		rulesFrom(() => real);
		expect(redactSecrets("it sang: blue-whale-song")).toBe("it sang: [REDACTED:environment]");
	});
});

test("rules are asked for at the first text that needs them, once", () => {
	let loads = 0;
	rulesFrom(() => {
		loads++;
		return real;
	});
	keepOut({ OLDPWD: "/home/jane/project", PWD: "/home/jane", GITHUB_TOKEN: TOKEN });
	expect([redactSecrets("/home/jane/project/src"), redactSecrets("status line"), loads]).toEqual([
		"/home/jane/project/src",
		"status line",
		0,
	]);
	expect([redactSecrets(`x ${TOKEN}`), redactSecrets("PASSWORD=hunter2hunter"), loads]).toEqual([
		"x [REDACTED:environment]",
		"PASSWORD=[REDACTED:secret]",
		1,
	]);
});
