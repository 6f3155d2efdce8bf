import { isMarker, isReference } from "./marker.ts";
import { looksRandom } from "./random-looking.ts";
import { eachMatch, type Range } from "./ranges.ts";
import { isName, isSecretValue } from "./secret-values.ts";
import { COLOUR, QUOTE } from "./value-at.ts";

/** Credentials in URLs, webhooks, headers and cookies. */
export function findHeaders(text: string, found: Range[]): void {
	if (text.includes("//") || text.includes("%2F%2F") || text.includes("\\/\\/")) findInUrls(text, found);
	if (!HINT.test(text)) return;
	eachMatch(AUTHORIZATION, text, (match) => add(found, match, "credentials", isCredential));
	eachMatch(BEARER, text, (match) => add(found, match, "credentials", (value) => looksRandom(value, 16)));
	eachMatch(SIGNED, text, (match) => add(found, match, "signature", () => true));
	eachMatch(COOKIES, text, (match) => findCookies(match, found));
	eachMatch(COOKIE_JAR, text, (match) => add(found, match, "cookie", (value) => looksRandom(value, 10)));
}

const HINT = /authorization|bearer|signature|cookie|credential|\tTRUE\t|\tFALSE\t/i;
const SP = `(?:[ \\t]|${COLOUR}|\\*\\*)`;

const URL_PASSWORD =
	/(:(?:\/\/|\\\/\\\/|%2F%2F)[^\s:@/?#"'`<>%]{0,200}(?::|%3A))([^\s/"'`<>]{1,400}|(?!\d{1,5}\/)(?=[^\s@"'`<>]{0,60}[\d+=!$%^&*])[^\s@"'`<>]{4,100})(?=(?:@|%40)[\w[\].%-])/gi;
const NAMED = /^\[?(?:pass(?:word|wd)?|pwd|pw)\]?$/i;
/** Where the user alone is a token: `https://TOKEN@github.com`. */
const URL_USER = /(:\/\/)([^\s:@/?#"'`<>]{16,200})(?=@)/g;
const HOOKS =
	/((?<=[/.])(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/|webhook\.office\.com\/webhookb2\/|outlook\.office(?:365)?\.com\/webhook\/|logic\.azure\.com[:\d]*\/workflows\/|hooks\.zapier\.com\/hooks\/catch\/|hook\.(?:\w+\.)?make\.com\/|chat\.googleapis\.com\/v1\/spaces\/[\w-]{1,40}\/messages\?|open\.feishu\.cn\/open-apis\/bot\/v2\/hook\/|oapi\.dingtalk\.com\/robot\/send\?access_token=|qyapi\.weixin\.qq\.com\/cgi-bin\/webhook\/send\?key=|api\.telegram\.org\/bot|maker\.ifttt\.com\/trigger\/[\w-]{1,60}\/with\/key\/|events\.pagerduty\.com\/integration\/|hc-ping\.com\/|webhook\.site\/|ingest\.sentry\.io\/api\/\d+\/\?sentry_key=))([^\s"'`<>)\]}\\]{12,600})/gi;

function findInUrls(text: string, found: Range[]): void {
	eachMatch(URL_PASSWORD, text, (match) =>
		add(found, match, "password", (value) => value.length === 1 || !(isReference(value) || NAMED.test(value))),
	);
	eachMatch(URL_USER, text, (match) => add(found, match, "credentials", (value) => looksRandom(value, 20)));
	eachMatch(HOOKS, text, (match) => add(found, match, "webhook", (value) => /\d|[A-Z]/.test(value)));
}

const AUTHORIZATION = new RegExp(
	`((?:proxy-|x-)?authorization(?:${QUOTE}|\\]|\\*\\*){0,3}${SP}{0,4}(?:[:=,]|=>|%3A)${SP}{0,4}[bfr@$]?(?:${QUOTE})?${SP}{0,4}(?:(?:bearer|basic|token|apikey|api-key|key|negotiate|ssws|genie-?key|splunk|bot|oauth|snippet|discogs|klaviyo-api-key)(?:[ \\t]{1,4}|%20|\\+)(?:token=["'\\\\]{0,4})?)?)([\\w.~+/=:!@#$%^&*|-]{6,})`,
	"gi",
);
/** Without the header's name only what looks random: prose has words behind 'bearer'. */
const BEARER = /((?<![A-Za-z0-9])bearer(?:[ \t]{1,4}|%20|["'`:=\\ ]{1,4}))([\w.~+/=-]{16,})/gi;
/** Digest, AWS and OAuth 1: what proves the caller. */
const SIGNED =
	/((?<![A-Za-z])(?:response|oauth_signature|oauth_token|signature|mac|Credential)=\\{0,4}["']?)([\w%+/=.-]{20,})/gi;
const COOKIES = new RegExp(
	`((?:(?:set-)?cookie(?:${QUOTE}){0,2}${SP}{0,4}(?:[:=,]|=>|%3A)${SP}{0,4}[bfr]?(?:${QUOTE})?)|(?:--cookie|-b)[ =](?:${QUOTE})?)(?=[\\w.%-]{1,80}(?:=|%3D))([^\\n"'\`\\\\]{4,4096})`,
	"gi",
);
const COOKIE_JAR = /((?:TRUE|FALSE)\t\/[^\t\n]{0,80}\t(?:TRUE|FALSE)\t\d{1,12}\t[^\t\n]{1,80}\t)([^\s]{8,2048})/g;

function isCredential(value: string): boolean {
	return (
		value.length >= 8 &&
		!isReference(value) &&
		!/^(?:bearer|basic|token|digest|header|required|https?:.*)$/i.test(value) &&
		!isName(value) &&
		(/\d/.test(value) ||
			looksRandom(value, 12) ||
			/^[A-Za-z+/]{12,}={1,2}$/.test(value) ||
			/[a-z][A-Z].*[a-z][A-Z]/.test(value))
	);
}

const PAIR = /([^\s=;,]{1,80})=([^;\s,]{1,4096})/g;
const PLAIN =
	/^(?:path|domain|expires|max-age|samesite|version|theme|lang|locale|currency|consent|timezone|tz|_ga\w*|_gid|_fbp|viewport|priority)$/i;

function findCookies(match: RegExpExecArray, found: Range[]): void {
	const list = match[2]!;
	const offset = match.index + match[1]!.length;
	eachMatch(PAIR, list, (pair) => {
		const [, name, value] = pair;
		if (PLAIN.test(name!) || value!.length < 6 || isMarker(value!) || isReference(value!)) return;
		const isNamed = /sess|sid|auth|token|jwt|csrf|xsrf|secret|login|user|remember|ticket|key|connect/i.test(name!);
		if (isNamed ? !isSecretValue(value!, "sole", "likely") : !looksRandom(value!, 12)) return;
		const start = offset + pair.index + name!.length + 1;
		found.push({ start, end: start + value!.length, kind: "cookie" });
	});
}

function add(found: Range[], match: RegExpExecArray, kind: string, is: (value: string) => boolean): void {
	const [whole, lead, value] = match;
	if (isMarker(value!) || value!.startsWith("[REDACTED:") || !is(value!)) return;
	const start = match.index + lead!.length;
	found.push({ start, end: match.index + whole!.length, kind });
}
