import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { setRulesLoader } from "../../../src/core/redact/lazy-rules.ts";
import * as all from "../../../src/core/redact/rules.ts";
import { RULES_VERSION } from "../../../src/core/redact/rules-version.ts";
import {
	redactDeep,
	redactJson,
	redactReply,
	redactSecrets,
	registerEnvironmentSecrets,
	rememberCleanDeep,
	safeJson,
} from "../../../src/core/redact/secrets.ts";

const FOLDER = join(import.meta.dirname, "../../../src/core/redact");
const TEXT = "Never print the password field of the form (v1); it stays hidden!";

afterEach(() => registerEnvironmentSecrets({}));

test("the version of the rules is that of their files", () => {
	const hash = createHash("sha256");
	for (const name of readdirSync(FOLDER).sort())
		if (name !== "rules-version.ts") hash.update(readFileSync(join(FOLDER, name)));
	expect(RULES_VERSION, "rules have changed: write this into rules-version.ts").toBe(hash.digest("hex").slice(0, 8));
});

test("a text that stands redacted on the disk is not looked through again, nor is the name of a field there", () => {
	let times = 0;
	const redactByRules: typeof all.redactByRules = (...given) => {
		times++;
		return all.redactByRules(...given);
	};
	setRulesLoader(() => ({ ...all, redactByRules }));
	const known = { messages: [{ text: TEXT }], dropped: { [`${TEXT} So.`]: [1, 2, 3] } };
	rememberCleanDeep(known);
	expect([redactSecrets(TEXT), redactDeep(known), times]).toEqual([TEXT, known, 0]);
	expect([redactSecrets(`${TEXT}!`), times]).toEqual([`${TEXT}!`, 1]);
});

test("a value is none the less looked at under its name, and one that holds a secret of the environment is", () => {
	rememberCleanDeep({ what: ["Falcon#22-under-the-sea"] });
	expect(redactDeep({ password: "Falcon#22-under-the-sea" })).toEqual({ password: "[REDACTED:secret]" });
	registerEnvironmentSecrets({ DB_PASSWORD: "form (v1); it stays" });
	rememberCleanDeep([TEXT]);
	expect(redactSecrets(TEXT)).not.toContain("stays");
});

test("a part of a text that was passed is looked through by itself: what begins in its middle may be read otherwise", () => {
	const binary = Buffer.from(Array.from({ length: 60 }, (_, i) => (i * 37) % 256));
	const whole = Buffer.concat([binary, Buffer.from("DB_PASSWORD=Xk29fLmq8Zt4vQ\n".repeat(20))]).toString("base64");
	expect(redactSecrets(whole)).toBe(whole);
	expect(redactSecrets(whole.slice(80))).toContain("[REDACTED:");
});

test("an answer is looked through by itself as well", () => {
	const answer = redactReply("Which line goes into the switch's config?", "enable secret 0 Lhyu9U!nNm1V");
	expect(JSON.parse(safeJson({ answer })).answer).not.toContain("Lhyu9U");
});

test("however deep it is", () => {
	const deep = JSON.parse(`${"[".repeat(30_000)}"${TEXT}"${"]".repeat(30_000)}`);
	expect(() => rememberCleanDeep(deep)).not.toThrow();
});

const TOKEN = `ghp_${"aZ4kQ9mB2xW7".repeat(3)}`;

describe("without rules nothing goes out that might hold a secret", () => {
	beforeEach(() => {
		registerEnvironmentSecrets({});
		setRulesLoader(() => {
			throw new Error("no such bundle");
		});
	});
	afterAll(() => setRulesLoader(() => all));

	test.each([
		["a text", () => redactSecrets(`the key is ${TOKEN}`), "[REDACTED:not-read]"],
		["JSON", () => redactJson(`{"a":"${TOKEN}"}`), '{"a":"[REDACTED:not-read]"}'],
		["a value under a name", () => redactDeep({ password: "hunter" }), { password: "[REDACTED:secret]" }],
		["a value named by its neighbour", () => redactDeep(["--password", "hunter"]), ["--password", "[REDACTED:secret]"]],
		["a name", () => redactDeep({ [TOKEN]: 1 }), { "[REDACTED:not-read]": 1 }],
	])("%s", (_, redacted, expected) => expect(redacted()).toEqual(expected));

	test("a variable whose name only the rules know counts as secret", () => {
		registerEnvironmentSecrets({ STUDIO_AUTHBLOB: "blue-whale-song" });
		setRulesLoader(() => all);
		expect(redactSecrets("it sang: blue-whale-song")).toBe("it sang: [REDACTED:environment]");
	});
});

test("rules are asked for at the first text that needs them, once", () => {
	let loads = 0;
	setRulesLoader(() => {
		loads++;
		return all;
	});
	registerEnvironmentSecrets({ OLDPWD: "/home/jane/project", PWD: "/home/jane", GITHUB_TOKEN: TOKEN });
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
