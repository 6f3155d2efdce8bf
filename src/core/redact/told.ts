import { isMarker } from "./marker.ts";
import { eachMatch, type Range } from "./ranges.ts";
import { type NameTrust, trustIn } from "./secret-names.ts";
import { isSecretValue, isTold, trimmed } from "./secret-values.ts";
import { matchAt, matchEnd, quotedAt } from "./value-at.ts";

/**
 * Secrets told in a sentence: "the password is …", "Passwort lautet …", "пароль: …", "パスワードは…", "log in with password …",
 * and what SQL and files of the `.netrc` kind say the same way. The word stays, the secret goes.
 */
export function findTold(text: string, found: Range[]): void {
	if (SAID.test(text)) {
		eachWord(text, WORD, found);
		eachDirective(text, found);
	}
}

/** One look for all the words below: most texts hold none. */
const SAID =
	/pass|pwd|pw|pin|secret|token|key|cred|contrase|clave|senha|chave|palavra|mots? de|mdp|cl\u00e9|jeton|wachtwoord|sleutel|kennwort|schl\u00fcssel|has\u0142|haslo|klucz|heslo|l[\u00f6o]senord|salasana|kodeord|adgangskode|parol|[\u015fs]ifre|kata sandi|identified|log-?in|sign in|zugangsdaten|identifiants|accesso|psk/i;

const BEYOND_ASCII = /[\u0100-\uffff]/;

const WORD =
	/(?<![A-Za-z0-9à-ɏ_])((?:pass(?:word|wd|phrase|code|wort)?s?|passord(?:et)?|pwd|pw|pin(?:[ -]?code)?|secrets?|tokens?|keys?|credentials?|contraseñas?|contrasenas?|clave|senhas?|chave|palavra-passe|mots? de passe|mdp|clé|jeton|wachtwoord(?:en)?|sleutel|kennwort|schlüssel|[Hh]asł(?:o|a|em|u)|haslo|klucz|heslo|lösenord(?:et)?|losenord|salasana(?:ni)?|kodeord(?:et)?|adgangskoden?|parol[aă]|şifre(?:si|niz)?|sifre|kata sandi|identified by|identified with \w{1,40} by|login))(?=[ \t:="'`*“«„,(—–-]|$)/gim;

function eachWord(text: string, pattern: RegExp, found: Range[]): void {
	pattern.lastIndex = 0;
	for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
		const before = /[A-Za-z]{2,12}[ -]$/.exec(text.slice(Math.max(0, match.index - 13), match.index))?.[0] ?? "";
		const name = (before + match[1]!).toLowerCase();
		const end = match.index + match[0].length;
		const told = toldAt(text, end, name);
		if (!told) continue;
		found.push({ ...told, kind: "secret" });
		pattern.lastIndex = told.end;
	}
}

/** Words that say what the secret is for: "for the staging server", "der Datenbank", "del servidor". */
const WHOSE =
	"(?:[ \\t]+(?:instead|below|here|again|too|now|then|please|today|attached))?(?:[ \\t]+(?:for|of|to|on|at|in|from|is for|f[üu]r|der|die|des|das|von|zum|zur|vom|auf|am|im|beim|mit|pour|du|de|des|del|della|di|da|do|para|por|en|su|per|il|van|voor|op|het|do|na|dla|w|till|til|för|för|we|you|they|he|she|i|our|your|their|his|her)(?:[ \\t]+|['’])[^\\s.:;=\"'`]{1,40}(?:[ \\t]+[^\\s.,:;=\"'`]{1,40}){0,4}?)?(?:[ \\t]*\\([^()\\n]{1,60}\\))?";
const VERB =
	"(?:(?:(?:will|should|must|would|shall|has|have|had|wird|sera|can)[ \\t]+(?:now[ \\t]+|always[ \\t]+)?)?(?:be|been)|is|was|are|to|as|ist|lautet|lauten|war|wurde|est|c['’]est|es|era|é|è|sera|será|sarà|jest|brzmi|luidt|är|er|on|je|este|olarak|adalah|reads|equals|becomes|remains|says|being|using|with|from|a|in|auf|til|till|na|à|mit|avec|con|com|met|med|z|to:)";
const AGAIN =
	"(?:[ \\t]+(?:reset to|updated to|rotated to|replaced by|replaced with|now|still|just|set to|set|simply|currently|changed to|only|jetzt|nun|auf|ahora|desde hoy|agora|maintenant|désormais|ora|nu|teraz|still|probably|actually|literally|going to be|this|the following|following|as follows|called)){0,2}";
const SAYS = new RegExp(
	`[*_"'\`)]{0,3}${WHOSE}[ \\t]*(?:(?:['’]s[ \\t]|[ \\t]-[ \\t]|[:：](?=[\\s"'\`*“«„‘「『]|[^\\x00-\\x7f])|[ \\t]=[ \\t]|—|–|->|=>|→|,?[ \\t]+${VERB}${AGAIN}(?=[ \\t:\`"'“]))[ \\t]*[:—–]?)[ \\t]*[*_]{0,3}`,
	"iy",
);
const PHRASE = /[a-z]{3,12}(?: [a-z]{3,12}){3,7}(?=\.?[ \t]*(?:\n|$))/y;
const BESIDE = /[ \t]{1,4}(?:=[ \t]*)?/y;
const OPEN = /["'`“”‘’«»„「『‹(<[]{1,3}/y;
const GRAPHIC = /[!-~À-ɏ]{4,256}/y;

function toldAt(text: string, at: number, name: string): { start: number; end: number } | null {
	const trust = trustOf(name);
	if (!trust) return null;
	const behind = matchEnd(SAYS, text, at);
	// "pass" is a verb in sentences: only with a colon it names something
	const isVerb =
		/^(?:.* )?pass(?:es)?$/.test(name) && !/^(?:with|using|the|my|our|wifi|root|admin|temp|db) pass$/.test(name);
	if (isVerb && (behind === null || !text.slice(at, behind).trimEnd().endsWith(":"))) return null;
	if (behind !== null && name.endsWith("phrase")) {
		const phrase = matchAt(PHRASE, text, behind);
		if (phrase !== null && isSecretValue(phrase, "quoted", "sure"))
			return { start: behind, end: behind + phrase.length };
	}
	if (behind !== null) {
		const told = valueAt(text, behind, "prose", trust, name);
		// a verdict of a test, and its name
		if (told && !(isVerb && /[/(]|^[A-Z][a-z]+[A-Z]/.test(text.slice(told.start, told.end)))) return told;
	}
	const beside = isVerb ? null : matchEnd(BESIDE, text, at);
	if (beside === null) return null;
	if (/identified/.test(name)) return quotedValue(text, beside, "sure") ?? valueAt(text, beside, "prose", "sure");
	if (name.endsWith("pin")) return null;
	if (trust === "sure") {
		const quoted = quotedValue(text, beside, trust);
		if (quoted && !text.slice(quoted.start, quoted.end).includes(name)) return quoted;
		if (NETRC.test(text.slice(Math.max(0, at - 300), at))) return netrcValue(text, beside);
	}
	return valueAt(text, beside, "beside", trust);
}

function netrcValue(text: string, at: number): { start: number; end: number } | null {
	const value = matchAt(GRAPHIC, text, at);
	return value === null || isMarker(value) ? null : { start: at, end: at + value.length };
}

/** In a `.netrc` the password stands right behind its word. */
const NETRC =
	/(?:^|\s|n)(?:machine|default)\s[^\n]{0,200}\s+login\s+\S{1,100}\s+(?:account\s+\S{1,100}\s+)?password$|(?:^|\n|\\n)[ \t]*login\s+\S{1,100}\s+password$/;

function trustOf(name: string): Exclude<NameTrust, null> | null {
	if (
		/^(?:.* )?(?:mots? de passe|palavra-passe|identified|kata sandi|klucz|has[lł]|heslo|l[öo]sen|salasana|kodeord|adgangs|parol|[şs]ifre|clave|wachtwoord|kennwort|passord|contrase|senha|mdp|login)/u.test(
			name,
		)
	)
		return /klucz/.test(name) ? "likely" : /login$/.test(name) ? null : "sure";
	if (/pin/.test(name)) return "maybe";
	return trustIn(name);
}

function valueAt(
	text: string,
	at: number,
	style: "prose" | "beside",
	trust: Exclude<NameTrust, null>,
	name = "",
): { start: number; end: number } | null {
	if (text.slice(at, at + 16).includes("[REDACTED:")) return null;
	const open = matchAt(OPEN, text, at) ?? "";
	if (open && style === "prose") {
		const quoted = quotedValue(text, at, trust);
		if (quoted) return quoted;
	}
	const start = at + open.length;
	const raw = matchAt(GRAPHIC, text, start);
	if (raw === null) return null;
	const value = trimmed(raw, open !== "");
	if (isMarker(value) || value.startsWith("[REDACTED:")) return null;
	if (style === "beside" && /^[=:([{<>|&-]/.test(value)) return null;
	if (/(?:^|[ -])pin\b/.test(name))
		return /^\d{4,8}$/.test(value) && style === "prose" ? { start, end: start + value.length } : null;
	return isTold(value, style, trust) ? { start, end: start + value.length } : null;
}

/** Between quotes more may stand: what a name's quoted value may be, if it has something no word has. */
function quotedValue(text: string, at: number, trust: Exclude<NameTrust, null>): { start: number; end: number } | null {
	const pair = PAIRS[text[at]!];
	let value = quotedAt(text, at);
	if (!value && pair) {
		const length = text.slice(at + 1, at + 122).indexOf(pair);
		const close = length < 0 ? -1 : at + 1 + length;
		if (close > at && close - at < 120 && !text.slice(at, close).includes("\n"))
			value = { start: at + 1, end: close, text: text.slice(at + 1, close), style: "quoted" };
	}
	if (!value || value.text.length > 256) return null;
	const is =
		/[\d!@#$%^&*+=?~]/.test(value.text) ||
		/^[a-z]+(?:[ -][a-z]+){2,}$/.test(value.text) ||
		/^[a-z]{10,}$/.test(value.text);
	return is && !/^\w+\(/.test(value.text) && isSecretValue(value.text, "quoted", trust, "password")
		? { start: value.start, end: value.end }
		: null;
}
const PAIRS: Record<string, string> = {
	"“": "”",
	"„": "“",
	"‘": "’",
	"«": "»",
	"「": "」",
	"『": "』",
	"‹": "›",
	"»": "«",
};

const FOREIGN =
	/(?=[^\x00-\x7f])(?:[Пп]арол[а-яіїє]{0,3}|ПАРОЛЬ|[Кк]люч[а-яіїє]{0,3}|[Тт]окен[а-яіїє]{0,3}|[Сс]екрет[а-яіїє]{0,4}|[Кк]од доступа|[Пп]ин-?код[а-я]{0,2}|密码|密碼|口令|密钥|密鑰|令牌|私钥|パスワード|パスフレーズ|パスコード|暗証番号|合言葉|秘密鍵|シークレット|トークン|APIキー|アクセスキー|비밀번호|패스워드|암호|비번|토큰|시크릿|API ?키|액세스 ?키|סיסמ[א-ת]{1,3}|كلمة (?:المرور|السر|سر)|رمز عبور|گذرواژه|पासवर्ड|รหัสผ่าน|[Κκ]ωδικ[α-ωό]{1,4}|[Şş]ifre[a-zışçğü]{0,4})|(?<![A-Za-z])(?:[Mm]ật khẩu|[Hh]asł[a-zęą]{1,3}|[Hh]esl[a-z]{1,3}|[Jj]elsz[a-zóáé]{1,4}|[Pp]arol[a-zăęi]{1,3}|[Ss]laptažod[a-z]{1,3}|[Ll]ozink[a-z]{1,2})/g;
/** Particles and signs up to the value, words of up to five small letters among them. */
const BRIDGE = /(?:[^\x21-\x7e\n]{1,12}|["'`*:=(<[-]{1,3}|[a-z]{1,5}(?=[ \u00c0-\u1eff])){0,8}/y;
const VALUE = /[!-~]{5,256}/y;

export function findForeign(text: string, found: Range[]): void {
	if (BEYOND_ASCII.test(text)) eachForeign(text, found);
}

/** Scripts without words of ours: what follows the word, over particles and signs, and has the form of a secret. */
function eachForeign(text: string, found: Range[]): void {
	FOREIGN.lastIndex = 0;
	for (let match = FOREIGN.exec(text); match; match = FOREIGN.exec(text)) {
		const name = match[0];
		const start = matchEnd(BRIDGE, text, match.index + name.length) ?? 0;
		const raw = matchAt(VALUE, text, start);
		if (raw === null) continue;
		const value = trimmed(raw);
		const trust = /люч|окен|钥|鑰|鍵|キー|키|令牌|トークン|토큰/.test(name) ? "likely" : "sure";
		const isPin = /од|暗証/.test(name) && /^\d{4,8}$/.test(value);
		if (isPin || isTold(value, "prose", trust)) found.push({ start, end: start + value.length, kind: "secret" });
	}
}

/** A line of a configuration: a name, a space and a value, as `requirepass …` and `password …`. */
const DIRECTIVE =
	/(?:^|\n|\\n)[ \t]{0,20}(?:\d{1,6}[→\t:|])?[+-]?[ \t]{0,20}(?:(?:set|enable|local|ip|username \S{1,40}) )?([\w.-]{0,30}(?:pass|pwd|secret|psk|token|key)[\w.-]{0,20})[ \t]{1,40}(?:\d )?["']?([^\s"'`=:]{5,200})["']?[ \t]*(?=\r?\n|\\n|$)/gi;

function eachDirective(text: string, found: Range[]): void {
	eachMatch(DIRECTIVE, text, (match) => {
		const trust = trustIn(match[1]!);
		const value = match[2]!;
		if (!trust || trust === "maybe" || !/\d/.test(value) || isMarker(value)) return;
		if (trust === "sure" ? !isTold(value, "prose", trust) : !isTold(value, "beside", trust)) return;
		const start = match.index + match[0].lastIndexOf(value);
		found.push({ start, end: start + value.length, kind: "secret" });
	});
}
