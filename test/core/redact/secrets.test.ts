import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
	passMarked,
	redactDeep,
	redactSecrets,
	registerEnvironmentSecrets,
	safeMark,
} from "../../../src/core/redact/secrets.ts";
import { corpus } from "../../kit/corpus.ts";

const run = (length: number, alphabet = "aZ4kQ9mB2xW7") => alphabet.repeat(length).slice(0, length);

/** Put together here, so that no scanner takes this file for a leak; test/security/redact-corpus.test.ts has all forms. */
const TOKENS: [kind: string, token: string][] = [
	["anthropic-key", `sk-ant-api03-${run(80)}-${run(6)}_AA`],
	["github-token", `ghp_${run(36)}`],
	["telegram-token", `${run(10, "1234567890")}:AA${run(33)}`],
	["jwt", `eyJ${run(20)}.eyJ${run(40)}.${run(43)}`],
];
const CASES = corpus(join(import.meta.dirname, "secrets.txt"));

test.each(TOKENS)("%s: the token goes, what stands around it stays", (kind, token) => {
	for (const around of [...CASES["what may stand around a token"]!, "\u001b[31m#\u001b[0m"])
		expect(redactSecrets(around.replaceAll("#", token))).toBe(around.replaceAll("#", `[REDACTED:${kind}]`));
});

test.each(
	Object.values(CASES)
		.flat()
		.filter((row) => row.includes(" => ")),
)("%j", (row) => {
	const [text, expected] = row.split(" => ") as [string, string];
	expect(redactSecrets(text)).toBe(expected);
});

const BODY = `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${run(32)}\n${run(64)}\n${run(20)}==\n`;
const PEM = (label: string) => `-----BEGIN ${label}-----\n${BODY}-----END ${label}-----`;

test.each([
	["PKCS#8", PEM("PRIVATE KEY")],
	["RSA", PEM("RSA PRIVATE KEY")],
	["PGP", PEM("PGP PRIVATE KEY BLOCK")],
	["escaped line ends", PEM("PRIVATE KEY").replaceAll("\n", "\\n")],
	["headers", PEM("RSA PRIVATE KEY").replace("\n", "\nDEK-Info: AES-128-CBC,00\n\n")],
	["indented", PEM("PRIVATE KEY").replaceAll("\n", "\n    ")],
])("a private key goes as a whole: %s", (_, key) => {
	expect(redactSecrets(`a "${key}"\n${key}`)).toBe('a "[REDACTED:private-key]"\n[REDACTED:private-key]');
});

test("one that was cut off goes up to the end", () => {
	expect(redactSecrets(`-----BEGIN PRIVATE KEY-----\n${run(64)}\n${run(64)}`)).toBe("[REDACTED:private-key]");
});

test("a variable is secret by its name", () => {
	const [secret, usual] = [CASES["variables of the environment that are secret"]!, CASES["variables that are none"]!];
	for (const name of [...secret, ...usual].join(" ").split(" ")) {
		registerEnvironmentSecrets({ [name]: "zxcvbnmlkjhg" });
		const isSecret = redactSecrets("it said zxcvbnmlkjhg here").includes("REDACTED");
		expect(isSecret, name).toBe(secret.join(" ").split(" ").includes(name));
	}
	registerEnvironmentSecrets({});
});

test("never throws and is idempotent, whatever is put together", () => {
	const whole = [...TOKENS.map(([, token]) => token), PEM("PRIVATE KEY")];
	const others = ["what secrets begin with", "marks", "what stands between"].map((name) => CASES[name]!);
	const piece = fc.oneof(
		fc.string({ unit: "binary", maxLength: 12 }),
		...[whole, ...others].map((all) => fc.constantFrom(...all)),
	);
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
			const once = redactSecrets(pieces.join(""));
			expect(redactSecrets(once)).toBe(once);
		}),
		{ numRuns: 3000 },
	);
});

test("a JSON Web Key's private parts go, its public ones stay", () => {
	const own = run(43);
	const key = { kty: "OKP", crv: "Ed25519", x: own };
	expect(redactDeep({ ...key, d: own })).toEqual({ ...key, d: "[REDACTED:secret]" });
	expect(redactDeep({ kty: "oct", k: own })).toEqual({ kty: "oct", k: "[REDACTED:secret]" });
	expect(redactDeep({ d: own, k: own })).toEqual({ d: own, k: own });
});

test("a text passes by the mark that was made of it alone, and not with a secret of the environment", () => {
	const [clean, secret] = ["The cart's total is a whole number of cents: cart.total", `token: ghp_${run(36)}`];
	expect(safeMark(secret)).toBeNull();
	passMarked(secret, safeMark(clean)!);
	passMarked(secret, undefined);
	expect(redactSecrets(secret)).not.toBe(secret);
	const mark = safeMark(clean)!;
	registerEnvironmentSecrets({ DB_PASSWORD: "cart.total" });
	passMarked(clean, mark);
	expect(redactSecrets(clean)).not.toBe(clean);
	registerEnvironmentSecrets({});
});
