/** A token known by its form. `form` begins where the token does; what comes before it is not of the token. */
export interface TokenForm {
	kind: string;
	/** What the token begins with, all of them: one look finds which forms are worth a try. */
	starts: string;
	form: string;
	/** `anywhere`: may stand right behind letters or digits. `slashed`: may have a stroke early in it, which a path has too. */
	where?: "anywhere" | "slashed";
}

const W = "[A-Za-z0-9_-]";
const A = "[A-Za-z0-9]";
const H = "[0-9a-f]";
const UUID = `${H}{8}-${H}{4}-${H}{4}-${H}{4}-${H}{12}`;

const form = (kind: string, starts: string, rest: string): TokenForm => ({
	kind,
	starts,
	form: `(?:${starts})${rest}`,
});
const loose = (kind: string, starts: string, rest: string): TokenForm => ({
	...form(kind, starts, rest),
	where: "anywhere",
});
const slashed = (kind: string, starts: string, rest: string): TokenForm => ({
	...form(kind, starts, rest),
	where: "slashed",
});

/**
 * The providers' own forms, from their documentation of tokens and of secret scanning. Lengths are lower bounds below the
 * real ones, because a text may be cut: what begins like a token and goes on like one is one.
 */
export const TOKEN_FORMS: readonly TokenForm[] = [
	// models
	loose("anthropic-key", "sk-ant-", `${W}{16,}`),
	loose("openrouter-key", "sk-or-", "(?:v1-)?[a-f0-9]{24,}"),
	form("openai-key", "sk-(?:proj|svcacct|admin|None|service)-", `${W}{20,}`),
	form("api-key", "sk-(?:lf|kimi|cp|ws|api01|live|test)-", `${W}{16,}`),
	form("openai-key", "sk-", "(?=[A-Za-z]{0,60}[0-9])[A-Za-z0-9]{20,}"),
	form(
		"api-key",
		"gsk_|xai-|nvapi-|pplx-|csk-|tvly-|fc-|jina_|rpa_|e2b_|tgp_v1_|fw_|pcsk_|cpk_|hyp_|esecret_|vf_|voyage-|pa-|r8_|lsv2_(?:pt|sk)_|ls__|apify_api_|unkey_|novu_|together_|co_|bfl_|fal_|luma-|inf_|msk_|wandb_v1_",
		`(?=${W}{0,60}[0-9])(?=${W}{0,60}[A-Za-z])${W}{26,}`,
	),
	// of letters alone, so not among those in which a digit is looked for
	slashed("huggingface-token", "hf_|api_org_", `${A}{30,}`),
	form("replicate-token", "r8_", `${A}{30,}`),
	// code and packages
	loose("github-token", "ghs_", "[0-9]{1,20}_eyJ[A-Za-z0-9_.-]{20,}"),
	loose("github-token", "gh[posur]_", `${A}{30,}`),
	loose("github-token", "github_pat_", "[A-Za-z0-9_]{22,}"),
	loose("gitlab-token", "glpat-", `${W}{20,}(?:\\.[a-z0-9]{2}\\.[a-z0-9]{9})?`),
	loose("gitlab-token", "gl(?:dt|rt|rtr|ptt|cbt|ft|imt|agent|oas|soat|wt|ffct)-|glrt-t\\d_|GR1348941", `${W}{18,}`),
	form("bitbucket-token", "ATBB|ATCTT3xFfG|ATATT3x|ATOATT|ATTA", `(?=${W}{0,40}[0-9])[A-Za-z0-9_=+/.-]{24,}`),
	form("npm-token", "npm_", `${A}{36,}`),
	loose("pypi-token", "pypi-", `(?:AgE${W}{13,}|${W}{50,})`),
	form("rubygems-key", "rubygems_", "[a-f0-9]{40,}"),
	form("crates-token", "cio", `(?=${A}{0,40}[0-9])(?=${A}{0,40}[A-Z])${A}{32}(?!${A})`),
	form("docker-token", "dckr_(?:pat|oat)_", `${W}{20,}`),
	form("nuget-key", "oy2", "[a-z0-9]{43}(?![a-z0-9])"),
	form("clojars-token", "CLOJARS_", "[a-z0-9]{50,}"),
	form("jfrog-token", "AKCp|cmVmdGtu", "[A-Za-z0-9]{40,}"),
	form("sonar-token", "sq[pua]_", "[a-f0-9]{36,}"),
	form("sourcegraph-token", "sgp_|slk_|sgd_", "(?:(?:[a-fA-F0-9]{16}|local)_)?[a-f0-9]{36,}"),
	form(
		"ci-token",
		"CCIPAT_|bkua_|bkpt_|bkaj_|pnu_|dp\\d_|snyk_(?:uat|sat)\\.|CKA_|nxct_|tr_(?:dev|prod|pat)_",
		"[A-Za-z0-9_.-]{20,}",
	),
	form("postman-key", "PMAK-|PMAT-", "[A-Za-z0-9-]{20,}"),
	// clouds and hosting
	form("aws-key-id", "A(?:KIA|SIA|BIA|CCA)", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
	slashed("aws-key", "ABSK|bedrock-api-key-", "[A-Za-z0-9+/=]{40,}"),
	loose("google-key", "AIza", `${W}{35}`),
	form("google-key", "AQ\\.Ab", `${W}{30,}`),
	loose("google-secret", "GOCSPX-", `${W}{20,}`),
	slashed("google-token", "ya29\\.|1//0", `${W}{20,}`),
	slashed("google-code", "4/0A", `${W}{30,}`),
	form("azure-secret", "[A-Za-z0-9_.~-]{3}[0-9]Q~", "[A-Za-z0-9_.~-]{30,}"),
	form(
		"azure-key",
		"[A-Za-z0-9+/]{33,80}(?:JQQJ99|AZDO|\\+ASt|\\+AMC|\\+ABa|AIoT|AzFu|AzCa|AzSe|ACDb|AZEG|APIM)",
		"[A-Za-z0-9+/]{4,24}={0,2}(?![A-Za-z0-9+/])",
	),
	form("alibaba-key-id", "LTAI", "(?=[A-Za-z]{0,28}[0-9])[A-Za-z0-9]{12,30}(?![A-Za-z0-9])"),
	form("tencent-key-id", "AKID", "(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{13,48}(?![A-Za-z0-9])"),
	form("yandex-key", "AQVN|YC[AMN]|y[0-3]_", `(?=${W}{0,40}[0-9])${W}{32,}`),
	form("yandex-token", "t1\\.", "[A-Z0-9a-z_-]{20,}[.=]{1,3}[A-Z0-9a-z_-]{40,}={0,2}"),
	form("digitalocean-token", "do[opr]_v1_", "[a-f0-9]{40,}"),
	form("heroku-key", "HRKU-", `(?:AA${W}{40,}|${UUID})`),
	form("netlify-token", "nf[pcou]_", `${A}{30,}`),
	form("vercel-token", "vc[piakr]_|vercel_blob_rw_", "[A-Za-z0-9_]{20,}"),
	form("cloudflare-token", "cf(?:k|ut|at)_", "[A-Za-z0-9]{36,}"),
	form("cloudflare-ca-key", "v1\\.0-", `${H}{24}-${H}{80,}`),
	slashed("fly-token", "(?:FlyV1 )?fm[12][abr]?_|fo1_", "[A-Za-z0-9+/=_,-]{30,}"),
	form("render-key", "rnd_", `${A}{20,}`),
	form("railway-token", "railway_", `${A}{30,}`),
	form("supabase-key", "sbp_(?:oauth_)?|sb_secret_", `${W}{20,}`),
	form("planetscale-token", "pscale_(?:tkn|pw|oauth)_", "[A-Za-z0-9_=.-]{20,}"),
	form("neon-key", "napi_|npg_", "[A-Za-z0-9]{12,}"),
	form("scaleway-key", "SCW", "(?=[A-Z]{0,17}[0-9])[A-Z0-9]{17}(?![A-Za-z0-9])"),
	form("terraform-token", "[A-Za-z0-9]{14}\\.atlasv1\\.", `${W}{40,}`),
	form("pulumi-token", "pul-", "[a-f0-9]{36,}"),
	form("vault-token", "hv[sbr]\\.", `${W}{20,}`),
	form("vault-token", "[sbr]\\.", "(?=[A-Za-z]{0,24}[0-9])(?=[a-z0-9]{0,24}[A-Z])[A-Za-z0-9]{24}(?![A-Za-z0-9_.])"),
	form("doppler-token", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.", "(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{36,}"),
	form("databricks-token", "dapi|dkea|dose", "[a-f0-9]{32}(?:-\\d)?(?![a-f0-9])"),
	form("snowflake-token", "ver:1-hint:", "[A-Za-z0-9:=+/-]{30,}"),
	loose("openshift-token", "sha256~", `${W}{40,}`),
	form("tailscale-key", "tskey-", "(?:[a-z]+-)?[A-Za-z0-9]{6,}-[A-Za-z0-9]{12,}"),
	form(
		"1password-key",
		"A3-",
		"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
	),
	slashed("1password-token", "ops_", "eyJ[A-Za-z0-9+/_=-]{20,}"),
	form("bitwarden-token", `0\\.${UUID}\\.`, "[A-Za-z0-9]{20,}(?::[A-Za-z0-9+/=]{16,})?"),
	loose("age-key", "AGE-SECRET-KEY-1|AGE-PLUGIN-[A-Z0-9-]{2,20}-1", "[A-Z0-9]{20,}"),
	form("infisical-token", "st\\.", `${H}{24}\\.${H}{32}\\.${H}{32}`),
	// observing
	form("newrelic-key", "NRAK-|NRJS-|NRII-|NRAA-|NRRA-|NRSP-", "[A-Za-z0-9_-]{16,}"),
	form("newrelic-license", `${H}{36}(?=NRAL)|eu01xx${H}{30}(?=NRAL)`, "NRAL"),
	slashed("grafana-token", "glsa_|glc_|eyJrIjoi", "[A-Za-z0-9_+/=]{24,}"),
	slashed("sentry-token", "sntr(?:ys|yu|ya)_", "[A-Za-z0-9+/=_]{30,}"),
	form("datadog-key", "ddp[a-z]{0,8}_|ddapp_|ddapi_", "[A-Za-z0-9_]{24,}"),
	form("dynatrace-token", "dt0[a-z]\\d{2}\\.", "[A-Z0-9]{16,}\\.[A-Z0-9]{32,}"),
	form("honeycomb-key", "hca?(?:ik|lk|xik|xlk|mk)_", "[a-z0-9]{40,}"),
	form("launchdarkly-key", "(?:sdk|api|mob|rel)-", UUID),
	form("posthog-key", "ph[xs]_", `${A}{30,}`),
	form("elastic-key", "essu_|essp_", "[A-Za-z0-9_=-]{30,}"),
	form("betterstack-token", "logtail_|lgtl_", `${A}{20,}`),
	// talk
	loose("slack-token", "xox[abceoprs]", "(?:\\.xox[a-z])?-[A-Za-z0-9-]{10,}"),
	loose("slack-token", "xapp-[0-9]-", "[A-Za-z0-9-]{10,}"),
	form("discord-token", "(?:mfa\\.|[MNO][A-Za-z0-9]{23,27}\\.[A-Za-z0-9_-]{6}\\.)", `${W}{27,}`),
	form("telegram-token", "[0-9]{6,12}:AA", `${W}{32,34}(?!${W})`),
	form("twilio-key", "SK|AC(?=[0-9a-f]{32}:)", "[0-9a-f]{32}(?![A-Za-z0-9])"),
	form("sendgrid-key", "SG\\.", `${W}{16,32}\\.${W}{30,}`),
	form("mailgun-key", "key-|pubkey-", "[0-9a-f]{32}(?![0-9a-f])"),
	form("mailgun-key", `${H}{32}-${H}{8}-${H}{8}(?![A-Za-z0-9-])`, ""),
	form("mailchimp-key", `${H}{32}-us`, "[0-9]{1,2}(?![0-9])"),
	form(
		"mail-key",
		"xkeysib-|xsmtpsib-|mlsn\\.|re_|MLSN-",
		"(?=[A-Za-z0-9_-]{0,20}[0-9])(?=[A-Za-z0-9_-]{0,30}[A-Za-z])[A-Za-z0-9_-]{24,}",
	),
	form("line-token", "dG9r", "OjE[A-Za-z0-9+/=_]{30,}"),
	// work
	form("notion-token", "ntn_|secret_", `(?=${A}{0,42}[0-9])(?=[a-z0-9]{0,42}[A-Z])${A}{40,}`),
	form("figma-token", "fig[duo][a-z]?_", `${W}{24,}`),
	form("linear-key", "lin_(?:api|oauth|wh)_", `${A}{24,}`),
	form("airtable-token", "pat[A-Za-z0-9]{14}\\.", "[a-f0-9]{40,}"),
	slashed("asana-token", "[12]/[0-9]{10,20}(?:/[0-9]{10,20})?:", "[a-f0-9]{32}"),
	form("clickup-token", "pk_[0-9]{6,9}_", "[A-Z0-9]{28,}"),
	form("hubspot-key", "pat-(?:na|eu|ap)\\d-", UUID),
	form("typeform-token", "tfp_", `${W}{30,}`),
	form("readme-key", "rdme_", "[a-z0-9]{40,}"),
	form("contentful-token", "CFPAT-", `${W}{30,}`),
	form("storyblok-token", "SBPAT-", `${W}{20,}`),
	form("mapbox-token", "sk\\.eyJ|tk\\.eyJ", "[A-Za-z0-9_-]{20,}(?:\\.[A-Za-z0-9_-]{10,})?"),
	form("dropbox-token", "sl\\.(?:u\\.)?", `${W}{60,}`),
	slashed("zapier-hook", "hooks\\.zapier\\.com/hooks/catch/", "[0-9]{4,12}/[A-Za-z0-9]{5,}"),
	form("cal-key", "cal_live_|cal_", `(?=${A}{0,12}[0-9])[a-f0-9]{30,}`),
	form("intercom-token", "dG9rOg", "[A-Za-z0-9+/=]{30,}"),
	// money
	form("stripe-key", "[sr]k_(?:live|test|prod|org_live|org_test)_", "[A-Za-z0-9_]{10,}"),
	loose("stripe-secret", "whsec_", "[A-Za-z0-9+/=_-]{20,}"),
	form("square-token", "sq0[a-z]{3}-|EAAA", `(?=${W}{0,40}[0-9])${W}{22,}`),
	form("shopify-token", "shp(?:at|ca|pa|ss|tka|ua|it)_", "[A-Za-z0-9]{24,}"),
	form("paypal-token", "A21AA|access_token\\$production\\$|access_token\\$sandbox\\$", "[A-Za-z0-9_$-]{30,}"),
	form("plaid-token", "(?:access|link|public)-(?:sandbox|development|production)-", UUID),
	form(
		"payment-key",
		"FLWSECK(?:_TEST|_LIVE)?-|rzp_(?:live|test)_|test_sk_|live_sk_|live_|EZ[AT]K|shippo_(?:live|test)_|duffel_(?:live|test)_|pay_(?:live|test)_|mollie_|key_(?:live|test)_|lob_",
		"(?=[A-Za-z0-9_-]{0,20}[0-9])(?=[A-Za-z0-9_-]{0,20}[A-Za-z])[A-Za-z0-9_-]{14,}",
	),
	form("adyen-key", "AQ[EFS]", "[A-Za-z0-9+/=%-]{60,}"),
	slashed("coinbase-key", "organizations/[0-9a-f-]{36}/apiKeys/", "[0-9a-f-]{36}"),
	form("wallet-key", "[xyztuv]prv", "[1-9A-HJ-NP-Za-km-z]{60,}"),
	// others
	form("facebook-token", "EAA[A-Z]{1,4}[A-Za-z0-9]{0,4}", "(?=[A-Za-z]{0,60}[0-9])[A-Za-z0-9]{60,}"),
	form("twitter-token", "AAAAAAAAAAAAAAAAAAAAA", "[A-Za-z0-9%]{30,}"),
	form("instagram-token", "IG(?:QV|QW|AA)", "[A-Za-z0-9_-]{40,}"),
	form("salesforce-token", "00D[A-Za-z0-9]{12,15}!", "[A-Za-z0-9_.]{40,}"),
	form("artifact-key", "pk[_-]lf-", UUID),
	form(
		"api-key",
		"sk_",
		"(?:(?=[a-f]{0,20}[0-9])[0-9a-f]{32,}(?![0-9a-zA-Z])|(?=[A-Za-z]{0,30}[0-9])(?=[a-z0-9]{0,30}[A-Z])[A-Za-z0-9]{24,})",
	),
	form(
		"generic-key",
		"(?<!\\\\)(?:[a-z][a-z0-9]{1,9}[_-]){0,2}(?:sk|key|secret|token|pat|apikey|live|prod|priv)[_-]",
		`(?=[A-Za-z0-9]{0,30}[0-9])(?=[A-Za-z0-9]{0,30}[A-Z])(?=[A-Za-z0-9]{0,30}[a-z])[A-Za-z0-9]{24,}(?!${W})`,
	),
	form(
		"generic-key",
		"(?<!\\\\)(?!(?:sha\\d*|md|h|toolu|msg|req|call|resp|run|thread|file|asst|chatcmpl|evt|cus|pm|sub|item|cs|seti|step|batch|user|org|proj|ses|sess|srvtoolu|container|ft|vs)[_-])[a-z][a-z0-9]{1,9}[_-](?:[a-z0-9]{2,8}_)?",
		`(?=[A-Za-z0-9]{0,24}[0-9])(?=[A-Za-z0-9]{0,24}[A-Z])(?=[A-Za-z0-9]{0,24}[a-z])(?=[A-Za-z]{0,24}[0-9][A-Za-z]{0,24}[0-9])[A-Za-z0-9]{32,}(?!${W})`,
	),
	// keys without their frame
	form(
		"private-key",
		"b3BlbnNzaC1rZXktdjE|MII[A-Za-z0-9+/]{3,6}IBADANBgkqhkiG9w0BAQEFAASC|MIGHAgEAMBMGByqGSM49|MHcCAQEEI|MIG2AgEAMBAGByqGSM49|MC4CAQAwBQYDK2Vw|MII[A-Z][A-Za-z0-9+/]{1,2}IBAAK|PuTTY-",
		"[A-Za-z0-9+/=]{16,}",
	),
	// stored passwords
	slashed("password-hash", "\\$2[abxy]?\\$\\d\\d\\$", "[A-Za-z0-9./]{40,}"),
	slashed("password-hash", "\\$(?:1|5|6|7|y|gy|md5|sha1|apr1)\\$(?:rounds=\\d+\\$)?", "[A-Za-z0-9./$+-]{22,}"),
	slashed(
		"password-hash",
		"\\$argon2(?:id|i|d)\\$|\\$scrypt\\$|\\$pbkdf2[a-z0-9-]*\\$|pbkdf2_sha\\d+\\$|scrypt:\\d+:\\d+:\\d+\\$|pbkdf2:sha\\d+:\\d+\\$|argon2\\$argon2|bcrypt_sha256\\$",
		"[A-Za-z0-9./$+=,:_-]{30,}",
	),
	slashed("password-hash", "\\{(?:SSHA|SHA|SMD5|SSHA256|SSHA512|CRYPT|PBKDF2[A-Z0-9_-]*)\\}", "[A-Za-z0-9+/=$.]{20,}"),
	form("md5-hash", "md5", "(?=[a-f]{0,20}[0-9])[0-9a-f]{32}(?![0-9A-Za-z])"),
	slashed("password-hash", "SCRAM-SHA-(?:1|256)\\$", "[0-9]{3,6}:[A-Za-z0-9+/=$:]{30,}"),
];
