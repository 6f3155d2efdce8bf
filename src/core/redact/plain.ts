/** Nothing shorter is taken for a secret. */
const MIN_SECRET = 6;
const MAX_SHORT = 300;

/**
 * Whether a text needs none of the rules, by cheap tests: it is a name, a path, a time or words of a status, without a part as long and
 * as mixed as a token. A path often holds a session's UUID, a model's name the size of its window (`[1m]`).
 */
export function isObviouslySafe(text: string): boolean {
	if (text.length < MIN_SECRET) return true;
	// without a long run and a joint it can only hold a secret that is given to a name
	if (text.length > MAX_SHORT)
		return text.length < 8_192 && !LONG_OR_NON_ASCII.test(text) && text.search(JOINT) < 0 && !SECRET_HINTS.test(text);
	if (isMadeOfNames(text) || SMALL_WORDS.test(text) || TIME.test(text)) return true;
	if (text.endsWith("[1m]") && isMadeOfNames(text.slice(0, -4))) return true;
	if (LONG_RUN.test(text) ? !text.includes("/") : BEYOND_ASCII.test(text)) return false;
	if (!text.includes("/")) return !SECRET_HINTS.test(text);
	// a path without its UUIDs and the like
	const shortened = text.replace(GENERATED_NAME, "/");
	if (isMadeOfNames(shortened)) return true;
	// `saved in PATH`, a line of a list
	const isWordsAndPaths = !LONG_RUN.test(text) || isMadeOfNames(shortened.replace(CLOCK, "").replaceAll(" ", "/"));
	return isWordsAndPaths && !SECRET_HINTS.test(text);
}

/** As long as the shortest token, key line and encoded text: without such a run none of them is there. */
export const LONG_RUN = /[A-Za-z0-9_$+/=.:~%{\\-]{14}/;
/** What may divide a secret without being part of it: invisible characters, and the `" + "` with which code joins two texts. */
export const JOINT =
	/[\u00ad\u200b-\u200f\u2060\ufeff]+|(["'`])[ \t]{0,8}(?:\+|\.{1,2})[ \t]{0,8}(?:\r?\n[ \t]{0,40})?\1/g;
const BEYOND_ASCII = /[^\x00-\x7f]/;
const LONG_OR_NON_ASCII = new RegExp(`${LONG_RUN.source}|${BEYOND_ASCII.source}`);
const CLOCK = /(?<= )\d\d:\d\d(?= )/g;
const SMALL_WORDS = /^[a-z]{0,20}(?: [a-z]{1,12}){0,4}$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]{5,15}Z?$/;

/** Whether a text has only characters of names and paths, and no part in which letters and digits are as mixed as in a token. */
const isMadeOfNames = (text: string): boolean =>
	!/[^\w./@~-]/.test(text) && !TOKEN_MIX.test(text) && !DASHED_TOKEN.test(text);
/** Ten characters and more without a dash, mixed as in a token. */
const TOKEN_MIX =
	/(?<![A-Za-z0-9])(?=[A-Za-z0-9]{10})(?:[A-Za-z]{0,24}\d{1,16}[A-Za-z]|[A-Za-z]{1,24}\d{5}|[A-Za-z]{25}|\d{17})/;
/** The same in twenty and more, with dashes. */
const DASHED_TOKEN = /(?<![\w-])(?=[\w-]{20})(?=[\w-]{0,60}[A-Z])(?=[\w-]{0,60}(?:\d|[a-z][A-Z][\w-]{0,30}[a-z][A-Z]))/;

/**
 * A file or folder named by a UUID; a temporary folder: words and six characters, as mkdtemp makes them; a project's folder in the
 * store: words and eight hex digits.
 */
const GENERATED_NAME =
	/\/(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?=[./]|$)|[A-Za-z]{1,16}(?:-[A-Za-z]{1,16}){0,3}-(?:[A-Za-z0-9]{6}|[0-9a-f]{8})(?=\/|$))/g;

/** Every name and every phrase of the rules begins with one of these or holds it: a text without any gives no secret to a name. */
export const SECRET_HINTS = new RegExp(
	[
		"pass|pw|psw|pswd|pepper|psk|pfx|p12|pkcs|parol|pin(?![a-z])|secret|salt|sess(?:ion)?[ _-]?id|seed|senha|salasana|sifre|sas(?![a-z])|si[gd](?![a-z])",
		"signature|token|key|auth|jwt|bearer|otp(?![a-z])|mnemonic|hook|wacht|wif|xprv|cred|cookie|conn|contras|clave|chave|cod(?:e|ice|igo)",
		"kennw|kodeord|dsn|mdp|hasl|hesl|losen|licen[cs]e|jelsz|identif|adgang|phrase|jeton|sleutel|schluess|klucz|sandi|sms|wi-?fi|wlan",
		"log[_-]?(?:in|on)|log(?:ged|ging|)[ -](?:in|on)|sign(?:ed|ing)?[ _-]?in|unlock|zugang|accesso|hash(?:sync)?\\(|cipher|create_?user|pdo\\(|sudo|wpa|ssid",
		"2fa|mfa|two-factor|verification|one-time|confirmation|sicherheits|recover|backup|scratch|rescue|emergency|wiederher|hotspot|wallet",
		":\\/\\/|:543|:6432|:\\*:|\\\\\\/|%2f%2f|echo|printf|<<<|kinit|mysql|mariadb|xtrabackup|7z|rar |docker|podman|helm|buildah|crane|oras",
		"nerdctl|skopeo|az |ibmcloud|cf |oc |argocd|mongo|twine|cqlsh|clickh|influx|swaks|xfreerdp|rdesktop|snmp|restic|beeline|curl|https? ",
		"httpie|xh |wget|svn |aria2c|security |signtool|lftp|rabbitmq|redis|valkey|ldap|mosquitto|sqlcmd|bcp |i?osql|isql|ipmitool|zip |freetds",
		"smb|rpcclient|(?<![\\w-])net |winexe|openssl|psexec|wmic|runas|sqlplus|sqlldr|rman |(?:exp|imp)(?:dp)? |sqlcl|nmcli|thin:|userid=|data|config|stdin",
		"username|hmac|basic|(?:cat|head|tail) |file_path|alias set|host add|bip-?39|setup|solana|bestatig|securestring|add-generic|literal|variable set|kv put|put-|assword|assphrase",
	].join("|"),
	"i",
);
