// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the references are data
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keepOut, redactBehind, redactDeep, redactSecrets } from "../../../src/core/redact/secrets.ts";

const run = (length: number, alphabet = "aZ4kQ9mB2xW7") => alphabet.repeat(length).slice(0, length);
const hex = (length: number) => run(length, "0a9f3b7c");

/** Put together here, so that no scanner takes this file for a leak. */
const TOKENS: [kind: string, token: string][] = [
	["anthropic-key", `sk-ant-api03-${run(80)}-${run(6)}_AA`],
	["openai-key", `sk-proj-${run(40)}_${run(20)}-T3`],
	["github-token", `ghp_${run(36)}`],
	["slack-token", `xoxb-${run(12, "123456789")}-${run(12, "123456789")}-${run(24)}`],
	["stripe-key", `sk_live_${run(24)}`],
	["aws-key-id", `AKIA${run(16, "QX7Z2RTB")}`],
	["google-key", `AIza${run(35)}`],
	["sendgrid-key", `SG.${run(22)}.${run(43)}`],
	["telegram-token", `${run(10, "1234567890")}:AA${run(33)}`],
	["jwt", `eyJ${run(20)}.eyJ${run(40)}.${run(43)}`],
];

describe.each(TOKENS)("%s %s", (kind, token) => {
	const kept = `[REDACTED:${kind}]`;
	test.each([
		["alone", token, kept],
		["in prose", `the key is ${token}, keep it`, `the key is ${kept}, keep it`],
		["in quotes", `login("${token}")`, `login("${kept}")`],
		["after an escaped line end", `{"text":"key:\\n${token}\\nend"}`, `{"text":"key:\\n${kept}\\nend"}`],
		["in a coloured line", `\u001b[31m${token}\u001b[0m`, `\u001b[31m${kept}\u001b[0m`],
		["twice", `${token} ${token}`, `${kept} ${kept}`],
		["assigned", `TOKEN=${token}`, `TOKEN=${kept}`],
	])("%s", (_, text, expected) => expect(redactSecrets(text)).toBe(expected));
});

const BODY = `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${run(32)}\n${run(64)}\n${run(20)}==\n`;
const PEM = (label: string) => `-----BEGIN ${label}-----\n${BODY}-----END ${label}-----`;

test.each([
	["PKCS#8", `a ${PEM("PRIVATE KEY")} b`, "a [REDACTED:private-key] b"],
	["RSA", PEM("RSA PRIVATE KEY"), "[REDACTED:private-key]"],
	["OpenSSH", PEM("OPENSSH PRIVATE KEY"), "[REDACTED:private-key]"],
	["PGP", PEM("PGP PRIVATE KEY BLOCK"), "[REDACTED:private-key]"],
	["escaped line ends", `"${PEM("PRIVATE KEY").replaceAll("\n", "\\n")}"`, '"[REDACTED:private-key]"'],
	["headers", PEM("RSA PRIVATE KEY").replace("\n", "\nDEK-Info: AES-128-CBC,00\n\n"), "[REDACTED:private-key]"],
	["indented", PEM("PRIVATE KEY").replaceAll("\n", "\n    "), "[REDACTED:private-key]"],
	["cut off", `-----BEGIN PRIVATE KEY-----\n${run(64)}\n${run(64)}`, "[REDACTED:private-key]"],
	["two", `${PEM("PRIVATE KEY")}\n${PEM("PRIVATE KEY")}`, "[REDACTED:private-key]\n[REDACTED:private-key]"],
	["url", "postgres://app:hunter2@db.local:5432/x", "postgres://app:[REDACTED:password]@db.local:5432/x"],
	["url without user", "redis://:hunter2@db/0", "redis://:[REDACTED:password]@db/0"],
	["url, @ in the password", "ftp://a:p@ss@host/", "ftp://a:[REDACTED:password]@host/"],
	["bearer", `Authorization: Bearer ${run(24)}`, "Authorization: Bearer [REDACTED:credentials]"],
	["basic", '-H "authorization: basic dXNlcjpwYXNz"', '-H "authorization: basic [REDACTED:credentials]"'],
	["header in JSON", `{"Authorization":"Bearer ${run(24)}"}`, '{"Authorization":"Bearer [REDACTED:credentials]"}'],
	["bearer alone", `curl with Bearer ${run(30)}`, "curl with Bearer [REDACTED:credentials]"],
	["env file", "DB_PASSWORD=hunter2hunter", "DB_PASSWORD=[REDACTED:secret]"],
	["env file, letters only", "export DB_PASSWORD=correcthorse\nA=b", "export DB_PASSWORD=[REDACTED:secret]\nA=b"],
	["env file, quoted phrase", 'SECRET="correct horse battery"', 'SECRET="[REDACTED:secret]"'],
	["env file, odd characters", "PASSWORD=p(a;s&s|word,1 x", "PASSWORD=[REDACTED:secret] x"],
	["AWS secret", `aws_secret_access_key = ${run(20)}/${run(19)}`, "aws_secret_access_key = [REDACTED:secret]"],
	["JSON", '{"apiKey": "abcd1234efgh"}', '{"apiKey": "[REDACTED:secret]"}'],
	["JSON in JSON", '{\\"api_key\\":\\"abcd1234efgh\\"}', '{\\"api_key\\":\\"[REDACTED:secret]\\"}'],
	["escaped quote in the value", '{"password":"ab\\"cd1234"}', '{"password":"[REDACTED:secret]"}'],
	["quote never closed", 'password = "abcd1234efgh', 'password = "[REDACTED:secret]'],
	["YAML", "db:\n  password: correcthorse\n", "db:\n  password: [REDACTED:secret]\n"],
	["YAML, odd characters", "- Password: Tr0ub4dor&3\n", "- Password: [REDACTED:secret]\n"],
	["ini", "user = me\npassword = supersecret\n", "user = me\npassword = [REDACTED:secret]\n"],
	["flag with =", "run --password=supersecret now", "run --password=[REDACTED:secret] now"],
	["flag and word", "run --api-key abcdefgh1234 now", "run --api-key [REDACTED:secret] now"],
	["PHP and Ruby", "'password' => 'hunter2hunter'", "'password' => '[REDACTED:secret]'"],
	["connection string", "User=a;Password=Tr0ub4dor3;X=y", "User=a;Password=[REDACTED:secret];X=y"],
	["code", "const clientSecret = 'a1b2c3d4e5'", "const clientSecret = '[REDACTED:secret]'"],
	["private key", "PRIVATE_KEY: 0123456789abcdef01", "PRIVATE_KEY: [REDACTED:secret]"],
	["query", "GET /x?access_token=abc123def456&y=1", "GET /x?access_token=[REDACTED:secret]&y=1"],
	["npmrc", `//registry.npmjs.org/:_authToken=${hex(36)}`, "//registry.npmjs.org/:_authToken=[REDACTED:secret]"],
	["marker as a disguise", "PASSWORD=[REDACTED:secret]hunter2", "PASSWORD=[REDACTED:secret]"],
	["marker as a disguise, quoted", 'token: "[REDACTED:jwt] a1b2c3d4"', 'token: "[REDACTED:secret]"'],
	["an off switch", "redact: off PASSWORD=hunter2hunter # nosec", "redact: off PASSWORD=[REDACTED:secret] # nosec"],
])("%s", (_, text, expected) => expect(redactSecrets(text)).toBe(expected));

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

const piece = fc.oneof(
	fc.string({ unit: "binary", maxLength: 12 }),
	fc.constantFrom(...TOKENS.map(([, token]) => token), PEM("PRIVATE KEY")),
	fc.constantFrom("PASSWORD=", "token: ", '"secret": "', '\\"', '"', "'", "`", "\n", " ", "://u:", "@h", "Bearer "),
	fc.constantFrom("[REDACTED:", "[REDACTED:secret]", "]", "Authorization: Basic ", "eyJ", ".", "${X}", "hunter2hunter"),
	fc.constantFrom(
		"-----BEGIN PRIVATE KEY-----",
		"-----END PRIVATE KEY-----",
		"sk-",
		"AKIA",
		":AA",
		"=",
		",",
		"(",
		"\\n",
	),
);

test("never throws and is idempotent, whatever is put together", () => {
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

test.each([
	["cat config/master.key", hex(32), "[REDACTED:secret]"],
	["cat /run/secrets/db_password", "bluewhale77", "[REDACTED:secret]"],
	["cat VERSION", "4.12.0", "4.12.0"],
	["git rev-parse HEAD", hex(40), hex(40)],
])("what `%s` printed", (command, printed, kept) => expect(redactBehind(`$ ${command}\n`, printed)).toBe(kept));
