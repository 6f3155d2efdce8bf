import { isReference } from "./marker.ts";
import { eachMatch, type Range } from "./ranges.ts";
import { isTold, trimmed } from "./secret-values.ts";

/** Secrets in sentences that name them by what they open: a wifi, a login, a second factor, a line for `.pgpass`. */
export function findSayings(text: string, found: Range[]): void {
	for (const { hint, pattern, is } of SAYINGS)
		if (hint.test(text))
			eachMatch(pattern, text, (match) => {
				const raw = match.groups!.value!;
				const value = trimmed(raw);
				if (value.startsWith("[REDACTED:") || isReference(value) || !is(value, match, text)) return;
				const start = match.index + match[0].lastIndexOf(raw);
				found.push({ start, end: start + value.length, kind: "secret" });
			});
}

interface Saying {
	hint: RegExp;
	/** Its group `value` is the last thing that it holds of the kind. */
	pattern: RegExp;
	is(value: string, match: RegExpExecArray, text: string): boolean;
}

const PASS = /^(?:pass(?:word|wd|wort)?|pwd|pw|secret)$/i;
/** Digits inside letters, or a sign that no word has. */
const isMixed = (value: string): boolean =>
	value.length >= 6 &&
	isTold(value, "prose", "sure") &&
	!/^[a-z]{1,12}[-_.]?\d{1,4}$/i.test(value) &&
	(/\d[A-Za-z]|[!@#$%^&*+?~]/.test(value) || isTold(value, "beside", "sure")) &&
	!/=|^(?:\dfa|ssh|sha\d|md5|aes|rsa|tls|ssl|ecdsa|ed\d|wpa|base\d)/i.test(value);
const isPhrase = (value: string): boolean => /^[a-z]{3,12}(?:-[a-z]{3,12}){2,7}$/.test(value);

const FACTOR =
	"(?:[tho]?otp|(?:2fa|mfa|two-factor|one-time|verification|security|log-?in|sign-in|authenticat(?:ion|or)|confirmation|sms|access)[ -](?:pass)?codes?|one-time[ -]pass(?:word|code)?|(?:best[äa]tigungs|sicherheits|einmal|anmelde)codes?|codes? de (?:v[ée]rification|verificaci[óo]n|verifica[çc][ãa]o|seguridad|s[ée]curit[ée])|codice di verifica)";
const DIGITS = "(?<value>\\d{6,8}|\\d{3}[ -]\\d{3}(?![ -]?\\d))(?![\\w.%:/-]*\\w)";
const SAYINGS: Saying[] = [
	{
		hint: /:(?:\d{2,5}|\*):/,
		pattern:
			/(?<=[ \t("'`])[\w.*-]{1,80}:(?<port>\d{2,5}|\*):[\w*.-]{1,60}:[\w*.-]{1,60}:(?<value>[^\s:"'`\\]{3,200})/g,
		is: (value, { index, groups }, text) =>
			!PASS.test(value) &&
			(/pgpass/i.test(text.slice(Math.max(0, index - 300), index + 500))
				? /[^a-z]/.test(value) || value.length > 8
				: /^(?:543\d|6432)$/.test(groups!.port!) && isTold(value, "prose", "sure")),
	},
	{
		hint: /wi-?fi|wlan|wpa|hotspot/i,
		pattern:
			/(?<![A-Za-z])(?:wi-?fi|wlan|wpa[23]?|hotspot|ssid)(?:[ -](?:key|pass(?:word|phrase|code|wort)?|code|pw|psk|schl[üu]ssel|kennwort|contraseña|clave|clé))(?: for [^\n:=]{1,40})?(?:[ \t]*[:=]|[ \t]+(?:is|ist|lautet|est|es|was)(?: now)?)[ \t]*["'`]?(?<value>[!-~]{8,63})/gi,
		is: (value) =>
			/^\d{8,63}$/.test(value) ||
			isPhrase(value) ||
			(isTold(value, "prose", "sure") && !/^(?:wpa|802|pbkdf)/i.test(value)),
	},
	{
		hint: /wi-?fi|wlan|ssid/i,
		pattern:
			/(?<![A-Za-z])(?:wi-?fi|wlan|ssid)[ \t]*[:=][ \t]*["'`]?[\w.-]{1,32}["'`]?[ \t]*[/|,][ \t]*["'`]?(?<value>[!-~]{8,63})/gi,
		is: (value) => /^\d{8,63}$/.test(value) || isMixed(value),
	},
	{
		hint: /otp|code|one-time/i,
		pattern: new RegExp(
			`(?<![A-Za-z])${FACTOR}(?:(?: for [^\\n:=]{1,40}?)?(?:[ \\t]*(?::|=|→|->)|[ \\t]+(?:is|was|ist|lautet|est|es|è|é)(?: now)?:?)[ \\t]*|[ \\t]+)["'\`*]{0,3}(?:G-)?${DIGITS}`,
			"gi",
		),
		is: () => true,
	},
	{
		hint: /otp|code|one-time/i,
		pattern: new RegExp(
			`(?<!(?:issue|commit|pr|pull|version|release|ticket|bug|line|port|error|status|build|number|nr|id)[ \\t:]{1,2}|[\\w#.:/-])(?:G-)?(?<value>\\d{6,8}|\\d{3}[ -]\\d{3})["'\`*]{0,3}[ \\t]+(?:is|as|was|ist|als|est|es)[ \\t]+(?:the|my|your|our|a|der|dein|ihr|mein|le|votre|el|su|tu)[ \\t]+(?:[A-Z][A-Za-z]{1,20}[ \\t]+|current[ \\t]+|new[ \\t]+){0,2}${FACTOR}(?=[ \\t]*(?:[.,;:!?)\\n"'\`*]|$|(?:for|to|from|I|we|that|and|here|now)\\b))`,
			"gi",
		),
		is: () => true,
	},
];
