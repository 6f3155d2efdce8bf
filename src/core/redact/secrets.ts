import { redactAssignments } from "./assignments.ts";
import { isMarker, isReference, marker } from "./marker.ts";
import { redactPrivateKeys } from "./private-keys.ts";

/** Rounds until nothing changes any more: nearly always one that changes something. The bound only guards against a loop. */
const MAX_ROUNDS = 5;

/**
 * The text with secrets replaced by `[REDACTED:kind]`: tokens known by their form, private key blocks, credentials in URLs
 * and headers, and assignments to names such as PASSWORD or API_KEY (the name stays). Idempotent, linear in the text's
 * length, never throws; nothing in the text switches it off.
 */
export function redactSecrets(text: string): string {
	let current = text;
	for (let round = 0; round < MAX_ROUNDS; round++) {
		const next = redactOnce(current);
		if (next === current) break;
		current = next;
	}
	return current;
}

function redactOnce(text: string): string {
	let result = redactPrivateKeys(text);
	for (const { kind, needs, pattern } of TOKENS)
		if (needs.some((need) => result.includes(need))) result = result.replace(pattern, marker(kind));
	return redactAssignments(redactHeaders(redactUrls(result)));
}

/** A token known by its form: `pattern` finds it, and only where one of `needs` occurs in the text. */
interface TokenRule {
	kind: string;
	needs: string[];
	pattern: RegExp;
}

function token(kind: string, needs: string[], source: string): TokenRule {
	return { kind, needs, pattern: new RegExp(source, "g") };
}

/**
 * Left edge of a token: no letter or digit before it, but an escaped line end (`\n` in JSON), a percent escape or a
 * terminal colour may stand there. All patterns are linear: what they take without bound ends the match, or the left edge
 * lets a run of characters start one match only.
 */
const ESCAPED = `(?<=\\\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=${String.fromCharCode(27)}\\[[0-9;]{0,8}m)`;
const EDGE = `(?:(?<![A-Za-z0-9_])|${ESCAPED})`;
const END = "(?![A-Za-z0-9])";
const WORD = "[A-Za-z0-9_-]";

/** The forms are the providers' own, from their documentation of tokens and secret scanning. */
const TOKENS: TokenRule[] = [
	token("anthropic-key", ["sk-ant-"], `sk-ant-${WORD}{16,}`),
	token("openrouter-key", ["sk-or-"], "sk-or-(?:v1-)?[a-f0-9]{32,}"),
	token("openai-key", ["sk-"], `${EDGE}sk-(?:proj|svcacct|admin|None)-${WORD}{20,}`),
	token("openai-key", ["sk-"], `${EDGE}sk-(?=[A-Za-z]{0,60}[0-9])[A-Za-z0-9]{20,}`),
	token("github-token", ["ghs_"], "ghs_[0-9]{1,20}_eyJ[A-Za-z0-9_.-]{20,}"),
	token("github-token", ["ghp_", "gho_", "ghs_", "ghu_", "ghr_"], "gh[posur]_[A-Za-z0-9]{30,}"),
	token("github-token", ["github_pat_"], "github_pat_[A-Za-z0-9_]{22,}"),
	token("gitlab-token", ["glpat-"], `glpat-${WORD}{20,}(?:\\.[a-z0-9]{2}\\.[a-z0-9]{9})?`),
	token("gitlab-token", ["gldt-", "glrt-", "glptt-", "glcbt-"], `gl(?:dt|rt|ptt|cbt)-${WORD}{20,}`),
	token("slack-token", ["xox"], "xox[abceoprs]-[A-Za-z0-9-]{10,}"),
	token("slack-token", ["xapp-"], "xapp-[0-9]-[A-Za-z0-9-]{10,}"),
	token("slack-webhook", ["hooks.slack.com"], "(?<=hooks\\.slack\\.com/(?:services|workflows)/)[A-Za-z0-9_/]{20,}"),
	token("stripe-key", ["k_live_", "k_test_"], `${EDGE}[sr]k_(?:live|test)_[A-Za-z0-9]{10,}`),
	token("stripe-secret", ["whsec_"], "whsec_[A-Za-z0-9+/=]{24,}"),
	token("aws-key-id", ["AKIA", "ASIA"], `${EDGE}A[KS]IA[A-Z0-9]{16}${END}`),
	token("google-key", ["AIza"], `AIza${WORD}{35}`),
	token("google-secret", ["GOCSPX-"], `GOCSPX-${WORD}{20,}`),
	token("google-token", ["ya29."], `${EDGE}ya29\\.${WORD}{20,}`),
	token("npm-token", ["npm_"], `${EDGE}npm_[A-Za-z0-9]{36,}`),
	token("pypi-token", ["pypi-"], `pypi-(?:AgE${WORD}{13,}|${WORD}{50,})`),
	token("huggingface-token", ["hf_"], `${EDGE}hf_[A-Za-z0-9]{30,}`),
	token("sendgrid-key", ["SG."], `${EDGE}SG\\.${WORD}{16,32}\\.${WORD}{30,}`),
	token("twilio-key", ["SK"], `${EDGE}SK[0-9a-f]{32}${END}`),
	token("digitalocean-token", ["_v1_"], "do[opr]_v1_[a-f0-9]{40,}"),
	token("telegram-token", [":AA"], `(?<![0-9])[0-9]{6,12}:AA${WORD}{33}(?!${WORD})`),
	token("jwt", ["eyJ"], `(?:(?<!${WORD})|${ESCAPED})eyJ${WORD}{10,}\\.${WORD}{10,}\\.${WORD}{4,}(?:\\.${WORD}+){0,2}`),
];

const URL_PASSWORD = /(?<=:\/\/)([^\s:@/?#"'`<>]{0,200}):([^\s/"'`<>]{1,400})@/g;

/** `scheme://user:password@host`: the password goes, the user stays. */
function redactUrls(text: string): string {
	if (!text.includes("://")) return text;
	return text.replace(URL_PASSWORD, (whole, user: string, password: string) =>
		isMarker(password) || isUrlReference(password) ? whole : `${user}:${marker("password")}@`,
	);
}

function isUrlReference(password: string): boolean {
	return password.length > 1 && isReference(password);
}

const HEADER_HINT = /authorization|bearer/i;
const AUTHORIZATION =
	/(authorization\\?["'`]?[ \t]{0,4}[:=,][ \t]{0,4}\\?["'`]?(?:bearer|basic|token)[ \t]{1,4})([\w.~+/=-]{8,})/gi;
/** Without the header's name only what looks random: prose has words behind 'bearer'. */
const BEARER = /(?<![A-Za-z0-9])(bearer[ \t]{1,4})(?=[A-Za-z._~+/=-]{0,80}[0-9])([\w.~+/=-]{20,})/gi;

function redactHeaders(text: string): string {
	if (!HEADER_HINT.test(text)) return text;
	const replace = (_: string, name: string) => name + marker("credentials");
	return text.replace(AUTHORIZATION, replace).replace(BEARER, replace);
}
