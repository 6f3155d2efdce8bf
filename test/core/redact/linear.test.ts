import { describe, expect, test } from "vitest";
import { findAssignments } from "../../../src/core/redact/assignments.ts";
import { findInCommands } from "../../../src/core/redact/commands.ts";
import { findEncoded } from "../../../src/core/redact/encoded.ts";
import { findInFormats } from "../../../src/core/redact/formats.ts";
import { findHeaders } from "../../../src/core/redact/headers.ts";
import { findPrivateKeys } from "../../../src/core/redact/private-keys.ts";
import type { Range } from "../../../src/core/redact/ranges.ts";
import { redactByRules } from "../../../src/core/redact/rules.ts";
import { TOKEN_FORMS } from "../../../src/core/redact/token-forms.ts";
import { findTokens } from "../../../src/core/redact/tokens.ts";
import { findTold } from "../../../src/core/redact/told.ts";

const run = (length: number, alphabet = "aZ4kQ9mB2xW7") => alphabet.repeat(length).slice(0, length);
type Finder = (text: string, found: Range[]) => void;
const encoded: Finder = (text, found) => findEncoded(text, 0, (plain) => plain, found);

/** What each look has most to do with: its words over and over, its openings without an end, what nearly matches. */
const WORST: [name: string, finder: Finder, units: string[]][] = [
	[
		"private keys",
		findPrivateKeys,
		[
			"-----BEGIN PRIVATE KEY-----",
			`-----BEGIN PRIVATE KEY-----\n${run(64)}\n`,
			"-----END PRIVATE KEY-----",
			`PRIVATE KEY ${run(60)}\n`,
			"Private-Lines: 9\n",
		],
	],
	[
		"tokens",
		findTokens,
		[
			"sk-ant-",
			"eyJaaaaaaaaaaaa.",
			"eyJ",
			"123456789:A",
			"sk-sk-ghp_AKIAAIzanpm_hf_SG.SKeyJxoxb",
			"a1",
			"t1.abcAB",
			"a_1",
			`${run(15)} `,
			"$2b$12$",
			"%41",
			"\\n",
		],
	],
	[
		"headers",
		findHeaders,
		[
			"Authorization: Bearer ",
			"a://b:c",
			"://:::::",
			"Cookie: a=b; ",
			"cookie: a",
			"Set-Cookie: ",
			"bearer ",
			"://a@",
			"https://hooks.slack.com/services/",
			"TRUE\t/\t",
			"signature=",
		],
	],
	[
		"assignments",
		findAssignments,
		[
			"token=token:secret='password=\"",
			"token=\"x token='y token=`z ",
			"secret=a(b",
			"pass",
			"password ",
			"<password ",
			"<password>",
			'"password": {a ',
			"key: |\n  a\n",
			"token: string = ",
			'value="',
			"password\\\\\\\\\\\\\\\\",
			"key (a",
			"password,  ",
			"a-key: b c\n",
			"password: 'a\n",
		],
	],
	[
		"commands",
		findInCommands,
		[
			"mysql ",
			"mysql -",
			"curl -u ",
			"--password ",
			"--password -",
			"echo a ",
			"echo a | ",
			"secrets set ",
			"ENV A ",
			"openssl -pass ",
			"-a ",
			"docker login ",
			"net /user:a ",
		],
	],
	[
		"sentences",
		findTold,
		[
			"password is the ",
			"password for the a b c d ",
			"пароль ",
			"key ",
			"machine a login b password",
			"パスワードは",
			"the secret (a",
			"password “",
			"token — ",
			"login a ",
			"mật khẩu ",
		],
	],
	[
		"formats",
		findInFormats,
		[
			"recovery codes: ",
			"recovery codes:\n1 ",
			"seed phrase: abc abc ",
			"kind: Secret\ndata:\n  a: b\n",
			"a:5432:",
			"otpauth://a",
			"totp secret ",
			"wallet ",
			"[1,",
			'"auth":"',
			"?sig=",
			"kind: Secret\n",
		],
	],
	["encodings", encoded, ["%41", "6a", "\\x6a", `${run(64)}\n`, "Abcd", "AAAAAAAAAAAAAAAAAAAAAAAA ", "a%", "%%%%"]],
];

/** All of it, as a session meets it. */
const whole: Finder = (text) => void redactByRules(text, () => {});
WORST.push([
	"all looks",
	whole,
	[
		"password: Falcon#12x\n",
		"token ",
		"key=a1b2c3d4e5f6a7b8 ",
		"a,password\n",
		"</<password>a",
		`${run(40)} `,
		"Authorization: Bearer aB3dE5gH7jK9mN1p ",
		"x ",
		"sess",
		"<![CDATA[<password>",
		"pass\t",
	],
]);

describe.each(WORST)("%s", (_, finder, units) => {
	test.each(units)("twice of %j takes about twice the time", (unit) => {
		const text = (size: number) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
		const [half, whole] = [text(524_288), text(1_048_576)];
		const time = (storm: string) => {
			const start = process.cpuUsage();
			finder(storm, []);
			return process.cpuUsage(start).user / 1000;
		};
		time(text(50_000));
		// squared it would be 4 times; small times are noise, and so is one try
		const isLinear = (): boolean => {
			const [small, large] = [time(half), time(whole)];
			return large < Math.max(small * 3, 80);
		};
		expect(isLinear() || isLinear() || isLinear()).toBe(true);
	});
});

test("every form of a token ends by itself: 200,000 of its own characters", { retry: 2 }, () => {
	for (const { kind, form } of TOKEN_FORMS) {
		const pattern = new RegExp(form, "g");
		const begin = form.replace(/^\(\?:/, "").split(/[|)[(\\]/)[0]!;
		for (const storm of [begin.repeat(200_000 / Math.max(1, begin.length)), begin + run(200_000)]) {
			const start = process.cpuUsage();
			pattern.lastIndex = 0;
			while (pattern.exec(storm));
			expect(process.cpuUsage(start).user / 1000, kind).toBeLessThan(600);
		}
	}
});
