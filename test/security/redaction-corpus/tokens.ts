import type { SecretCase } from "./case.ts";
import { Draw } from "./draw.ts";

type Maker = (d: Draw) => string;

/** Parts are joined here, so that no scanner takes this file for a leak. */
const j = (...parts: string[]): string => parts.join("");

export const TOKENS: [name: string, make: Maker][] = [
	["anthropic", (d) => j("sk", "-ant-", "api03-", d.url64(93), "AA")],
	["anthropic oauth", (d) => j("sk", "-ant-", "oat01-", d.url64(80))],
	["openai project", (d) => j("sk", "-proj-", d.url64(74), "T3Blbk", "FJ", d.url64(74))],
	["openai old", (d) => j("sk", "-", d.base62(20), "T3Blbk", "FJ", d.base62(20))],
	["openai service", (d) => j("sk", "-svcacct-", d.url64(60))],
	["openrouter", (d) => j("sk", "-or-", "v1-", d.hex(64))],
	["groq", (d) => j("gs", "k_", d.base62(52))],
	["xai", (d) => j("xa", "i-", d.base62(80))],
	["replicate", (d) => j("r", "8_", d.base62(37))],
	["nvidia", (d) => j("nv", "api-", d.url64(64))],
	["pinecone", (d) => j("pc", "sk_", d.base62(5), "_", d.base62(63))],
	["perplexity", (d) => j("pp", "lx-", d.base62(48))],
	["cerebras", (d) => j("cs", "k-", d.lower36(48))],
	["tavily", (d) => j("tv", "ly-", "dev-", d.base62(32))],
	["langsmith", (d) => j("ls", "v2_", "pt_", d.hex(32), "_", d.hex(10))],
	["langfuse", (d) => j("sk", "-lf-", d.uuid())],
	["huggingface", (d) => j("h", "f_", d.letters(34))],
	["elevenlabs", (d) => j("s", "k_", d.hex(48))],
	["deepseek", (d) => j("s", "k-", d.hex(32))],
	["github classic", (d) => j("gh", "p_", d.base62(36))],
	["github oauth", (d) => j("gh", "o_", d.base62(36))],
	["github server", (d) => j("gh", "s_", d.base62(36))],
	["github fine", (d) => j("github", "_pat_", d.base62(22), "_", d.base62(59))],
	["gitlab", (d) => j("gl", "pat-", d.url64(20))],
	["gitlab runner", (d) => j("gl", "rt-", d.url64(20))],
	["gitlab trigger", (d) => j("gl", "ptt-", d.hex(40))],
	["bitbucket", (d) => j("AT", "BB", d.base62(32))],
	["atlassian", (d) => j("AT", "ATT3", "xFfGF0", d.url64(180), "=", d.upper(8))],
	["npm", (d) => j("np", "m_", d.base62(36))],
	["pypi", (d) => j("py", "pi-", "AgEIcHlwaS5vcmc", d.url64(150))],
	["rubygems", (d) => j("ruby", "gems_", d.hex(48))],
	["crates", (d) => j("ci", "o", d.base62(32))],
	["docker hub", (d) => j("dckr", "_pat_", d.url64(27))],
	["nuget", (d) => j("oy", "2", d.lower36(43))],
	["sonar", (d) => j("sq", "p_", d.hex(40))],
	["sourcegraph", (d) => j("sg", "p_", d.hex(16), "_", d.hex(40))],
	["circleci", (d) => j("CCI", "PAT_", d.base62(22), "_", d.hex(40))],
	["postman", (d) => j("PM", "AK-", d.hex(24), "-", d.hex(34))],
	["aws id", (d) => j("AK", "IA", d.upper(16))],
	["aws temporary id", (d) => j("AS", "IA", d.upper(16))],
	["google", (d) => j("AI", "za", "Sy", d.url64(33))],
	["google secret", (d) => j("GOC", "SPX-", d.url64(28))],
	["google access", (d) => j("ya", "29.", "a0", d.url64(120))],
	["google refresh", (d) => j("1/", "/0", d.url64(100))],
	["azure ad", (d) => j(d.base62(3), "8", "Q~", d.url64(34))],
	["azure devops", (d) => j(d.base62(52), "JQQJ", "99", d.base62(18), "AZDO", d.base62(4))],
	["alibaba", (d) => j("LT", "AI5t", d.base62(20))],
	["tencent", (d) => j("AK", "ID", d.base62(32))],
	["yandex", (d) => j("AQ", "VN", d.url64(36))],
	["digitalocean", (d) => j("dop", "_v1_", d.hex(64))],
	["heroku", (d) => j("HR", "KU-", "AA", d.url64(58))],
	["netlify", (d) => j("nf", "p_", d.base62(36))],
	["vercel", (d) => j("vc", "p_", d.base62(56))],
	["cloudflare", (d) => j("cf", "ut_", d.base62(40), d.hex(8))],
	["cloudflare ca", (d) => j("v1", ".0-", d.hex(24), "-", d.hex(146))],
	["fly", (d) => j("Fly", "V1 fm2_", d.base64(120))],
	["render", (d) => j("rn", "d_", d.base62(28))],
	["supabase", (d) => j("sb", "p_", d.hex(40))],
	["supabase secret", (d) => j("sb", "_secret_", d.url64(22), "_", d.base62(8))],
	["planetscale", (d) => j("pscale", "_tkn_", d.url64(43))],
	["neon", (d) => j("np", "g_", d.base62(14))],
	["terraform", (d) => j(d.base62(14), ".atlas", "v1.", d.url64(64))],
	["pulumi", (d) => j("pu", "l-", d.hex(40))],
	["vault", (d) => j("hv", "s.", d.url64(94))],
	["vault old", (d) => j("s", ".", d.base62(24))],
	["doppler", (d) => j("dp", ".pt.", d.base62(43))],
	["doppler service", (d) => j("dp", ".st.", "prd.", d.base62(43))],
	["databricks", (d) => j("da", "pi", d.hex(32))],
	["openshift", (d) => j("sha", "256~", d.url64(43))],
	["tailscale", (d) => j("ts", "key-auth-", d.base62(12), "CNTRL-", d.base62(32))],
	[
		"1password key",
		(d) =>
			j("A", "3-", d.upper(6), "-", d.upper(6), "-", d.upper(5), "-", d.upper(5), "-", d.upper(5), "-", d.upper(5)),
	],
	["1password service", (d) => j("op", "s_", "eyJ", d.base64(120))],
	["bitwarden", (d) => j("0.", d.uuid(), ".", d.base62(30), ":", d.base64(22), "==")],
	["age", (d) => j("AGE-", "SECRET-", "KEY-1", d.upper(58))],
	["new relic", (d) => j("NR", "AK-", d.upper(27))],
	["grafana", (d) => j("gl", "sa_", d.base62(32), "_", d.hex(8))],
	["grafana cloud", (d) => j("gl", "c_", "eyJ", d.base64(80))],
	["sentry", (d) => j("sn", "trys_", "eyJ", d.base64(90), "_", d.base62(43))],
	["dynatrace", (d) => j("dt", "0c01.", d.upper(24), ".", d.upper(64))],
	["launchdarkly", (d) => j("sd", "k-", d.uuid())],
	["slack bot", (d) => j("xo", "xb-", d.digits(12), "-", d.digits(13), "-", d.base62(24))],
	["slack app", (d) => j("xa", "pp-1-", d.upper(11), "-", d.digits(13), "-", d.hex(64))],
	["slack user", (d) => j("xo", "xp-", d.digits(12), "-", d.digits(12), "-", d.digits(13), "-", d.hex(32))],
	["discord bot", (d) => j("M", d.base62(25), ".", d.base62(6), ".", d.url64(38))],
	["telegram", (d) => j(d.digits(10), ":A", "A", d.url64(33))],
	["twilio key", (d) => j("S", "K", d.hex(32))],
	["sendgrid", (d) => j("S", "G.", d.url64(22), ".", d.url64(43))],
	["mailgun", (d) => j("ke", "y-", d.hex(32))],
	["mailchimp", (d) => j(d.hex(32), "-u", "s21")],
	["brevo", (d) => j("xkey", "sib-", d.hex(64), "-", d.base62(16))],
	["resend", (d) => j("r", "e_", d.base62(8), "_", d.base62(24))],
	["notion", (d) => j("nt", "n_", d.digits(11), d.base62(35))],
	["notion old", (d) => j("sec", "ret_", d.base62(43))],
	["figma", (d) => j("fi", "gd_", d.url64(40))],
	["linear", (d) => j("lin", "_api_", d.base62(40))],
	["airtable", (d) => j("pa", "t", d.base62(14), ".", d.hex(64))],
	["asana", (d) => j("2/", d.digits(16), "/", d.digits(16), ":", d.hex(32))],
	["hubspot", (d) => j("pa", "t-na1-", d.uuid())],
	["typeform", (d) => j("tf", "p_", d.url64(44))],
	["contentful", (d) => j("CF", "PAT-", d.url64(43))],
	["mapbox", (d) => j("s", "k.ey", "J1Ijoi", d.base62(60), ".", d.url64(22))],
	["dropbox", (d) => j("s", "l.", "B", d.url64(135))],
	["stripe live", (d) => j("sk", "_live_", d.base62(24))],
	["stripe restricted", (d) => j("rk", "_live_", d.base62(99))],
	["stripe webhook", (d) => j("wh", "sec_", d.base62(32))],
	["square", (d) => j("sq", "0csp-", d.url64(43))],
	["square access", (d) => j("EA", "AA", d.url64(60))],
	["shopify", (d) => j("sh", "pat_", d.hex(32))],
	["plaid", (d) => j("access", "-sandbox-", d.uuid())],
	["razorpay", (d) => j("rz", "p_live_", d.base62(14))],
	["flutterwave", (d) => j("FLW", "SECK-", d.hex(32), "-X")],
	["easypost", (d) => j("EZ", "AK", d.hex(8), d.base62(46))],
	["facebook", (d) => j("EA", "ACEdEose0cBA", d.base62(120))],
	["jwt", (d) => j("ey", "JhbGciOiJIUzI1NiJ9.", "ey", "Jzd", d.url64(60), ".", d.url64(43))],
	["jwe", (d) => j("ey", "JlbmMiOiJBMjU2R0NNIn0..", d.url64(16), ".", d.url64(80), ".", d.url64(22))],
];

/** How a token comes up: each token takes two of these in turn. */
const CONTEXTS: [name: string, put: (token: string, d: Draw) => string][] = [
	["env file", (t) => `# local\nSERVICE_SETTING=${t}\nPORT=3000`],
	["prose", (t) => `I made a new one for the staging box, it is ${t}, please put it where the others are.`],
	["JSON", (t) => JSON.stringify({ service: "x", value: t, retries: 3 }, null, 2)],
	["curl", (t) => `curl -sS -H 'X-Service: ${t}' https://api.example.com/v1/things | jq .`],
	["YAML", (t) => `services:\n  app:\n    environment:\n      - ACCESS=${t}\n    ports: []`],
	["code", (t) => `const client = new Client("${t}", { timeout: 30 });`],
	["log", (t) => `2026-04-02T10:11:12Z WARN request rejected (id 42, sent ${t})`],
	["query", (t) => `GET https://api.example.com/v1/list?page=2&k=${encodeURIComponent(t)}&x=1`],
	["diff", (t) => `@@ -1,3 +1,3 @@\n-client = make("${t}")\n+client = make(os.environ["X"])`],
	["JSON in JSON", (t) => JSON.stringify({ body: JSON.stringify({ inner: JSON.stringify({ t }) }) })],
	["numbered lines", (t) => `    11\timport x\n    12\tclient = x.connect('${t}')\n    13\t`],
	["colours", (t) => `\u001b[32mok\u001b[0m issued \u001b[1;33m${t}\u001b[0m`],
	["markdown", (t) => `| what | value |\n|---|---|\n| staging | \`${t}\` |`],
	["german", (t) => `Nimm bitte ${t} für den Testlauf, das alte gilt nicht mehr.`],
	["base64", (t) => `payload: ${Buffer.from(`{"a":1,"k":"${t}"}`).toString("base64")}`],
	["shell word", (t) => `./deploy.sh production ${t} --verbose`],
];

export function tokenCases(seed: number): SecretCase[] {
	const d = new Draw(seed);
	return TOKENS.flatMap(([name, make], i) =>
		[i, i + 7].map((n) => {
			const token = make(d);
			const [context, put] = CONTEXTS[n % CONTEXTS.length]!;
			return { kind: `token: ${name}, ${context}`, text: put(token, d), secrets: [encodedSecret(context, token)] };
		}),
	);
}

/** What of an encoded text must be gone is its middle: where it begins depends on what stands before it. */
function encodedSecret(context: string, token: string): string {
	if (context === "query") return encodeURIComponent(token);
	if (context !== "base64") return token;
	return Buffer.from(`{"a":1,"k":"${token}"}`).toString("base64").slice(20, -8);
}
