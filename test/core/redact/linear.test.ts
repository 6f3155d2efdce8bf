import { test } from "vitest";
import { expectLinear } from "./time.ts";

const run = (length: number, alphabet = "aZ4kQ9mB2xW7") => alphabet.repeat(length).slice(0, length);
/** Words over and over, openings without an end, what nearly matches. */
const STORMS = [
	...["-----BEGIN PRIVATE KEY-----", `-----BEGIN PRIVATE KEY-----\n${run(64)}\n`, "-----END PRIVATE KEY-----"],
	...[`PRIVATE KEY ${run(60)}\n`, "Private-Lines: 9\n", `${run(64)}\n-----END PRIVATE KEY-----`],
	...["sk-ant-", "eyJaaaaaaaaaaaa.", "eyJ", "123456789:A", "sk-sk-ghp_AKIAAIzanpm_hf_SG.SKeyJxoxb", "a1", "t1.abcAB"],
	...["Authorization: Bearer ", "a://b:c", "://:::::", "Cookie: a=b; ", "cookie: a", "bearer ", "://a@", "TRUE\t/\t"],
	...[
		"token=token:secret='password=\"",
		"token=\"x token='y token=`z ",
		"secret=a(b",
		"pass",
		"password ",
		"<password ",
	],
	...[
		"<password>",
		'"password": {a ',
		"key: |\n  a\n",
		"token: string = ",
		'value="',
		"password\\\\\\\\\\\\",
		"key (a",
	],
	...["a-key: b c\n", "password: 'a\n", "mysql ", "mysql -", "curl -u ", "--password ", "--password -", "echo a | "],
	...[
		"secrets set ",
		"ENV A ",
		"docker login ",
		"net /user:a ",
		"password is the ",
		"password for the a b c d ",
		"пароль ",
	],
	...[
		"machine a login b password",
		"パスワードは",
		"the secret (a",
		"password “",
		"token — ",
		"mật khẩu ",
		"seed phrase: abc abc ",
	],
	...[
		"recovery codes: ",
		"recovery codes:\n1 ",
		"kind: Secret\ndata:\n  a: b\n",
		"a:5432:",
		"otpauth://a",
		"wallet ",
		"[1,",
	],
	...[
		'"auth":"',
		"?sig=",
		"%41",
		"6a",
		"\\x6a",
		`${run(64)}\n`,
		"Abcd",
		"%%%%",
		"a,password\n",
		"</<password>a",
		"\u200b",
		'"+"',
	],
	...[`${run(40)} `, "Authorization: Bearer aB3dE5gH7jK9mN1p ", "password: Falcon#12x\n", "<![CDATA[<password>"],
];

test.each(STORMS)("four times of %j takes about four times the time", (unit) => expectLinear(unit));
