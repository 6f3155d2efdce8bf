// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the references are data
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { keepOut, redactDeep, redactSecrets } from "../../../src/core/redact/secrets.ts";
import { corpus } from "../../kit/corpus.ts";

const run = (length: number, alphabet = "aZ4kQ9mB2xW7") => alphabet.repeat(length).slice(0, length);

/** Put together here, so that no scanner takes this file for a leak; test/security/redact-corpus.test.ts has all forms. */
const TOKENS: [kind: string, token: string][] = [
	["anthropic-key", `sk-ant-api03-${run(80)}-${run(6)}_AA`],
	["github-token", `ghp_${run(36)}`],
	["telegram-token", `${run(10, "1234567890")}:AA${run(33)}`],
	["jwt", `eyJ${run(20)}.eyJ${run(40)}.${run(43)}`],
];
/** What may stand around one. */
const AROUND = [
	...[
		"#",
		"the key is #, keep it",
		'login("#")',
		'{"text":"key:\\n#\\nend"}',
		"\u001b[31m#\u001b[0m",
		"# #",
		"TOKEN=#",
	],
];
test.each(TOKENS)("%s: the token goes, what stands around it stays", (kind, token) => {
	for (const around of AROUND)
		expect(redactSecrets(around.replaceAll("#", token))).toBe(around.replaceAll("#", `[REDACTED:${kind}]`));
});

const CASES = Object.values(corpus(join(import.meta.dirname, "secrets.txt"))).flat();
test.each(CASES)("%j", (row) => {
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

test.each([
	["SEED_PHRASE RECOVERY_PHRASE WALLET_PASSPHRASE MNEMONIC WALLET_SEED", true],
	["githubTokenProd githubToken dbpasswd apiKey APIKEY OPENAIAPIKEY SECRETKEY2 STRIPE_KEY KEY", true],
	["MONKEY HOTKEY HOTKEY_MODE sshPublicKey SSH_PUBLIC_KEY githubTokenPath PWD OLDPWD", false],
])("environment variables %s: secret %s", (names, isSecret) => {
	for (const name of names.split(" ")) {
		keepOut({ [name]: "zxcvbnmlkjhg" });
		expect([name, redactSecrets("it said zxcvbnmlkjhg here").includes("REDACTED")]).toEqual([name, isSecret]);
	}
	keepOut({});
});

test("never throws and is idempotent, whatever is put together", () => {
	const whole = [...TOKENS.map(([, token]) => token), PEM("PRIVATE KEY")];
	const begun = [
		"PASSWORD=",
		"token: ",
		'"secret": "',
		"://u:",
		"@h",
		"Bearer ",
		"Authorization: Basic ",
		"eyJ",
		"sk-",
	];
	const marks = ["[REDACTED:", "[REDACTED:secret]", "]", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"];
	const signs = ['\\"', '"', "'", "`", "\n", " ", ".", "${X}", "hunter2hunter", "AKIA", ":AA", "=", ",", "(", "\\n"];
	const piece = fc.oneof(
		fc.string({ unit: "binary", maxLength: 12 }),
		...[whole, begun, marks, signs].map((all) => fc.constantFrom(...all)),
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
