import { isMarker, isReference } from "./marker.ts";
import programs from "./programs.json";
import { looksRandom } from "./random-looking.ts";
import { eachMatch, type Range } from "./ranges.ts";
import { trustIn } from "./secret-names.ts";
import { GRAMMAR, isSecretValue, UUID } from "./secret-values.ts";

/** Secrets on command lines: `mysql -pVALUE`, `curl -u user:VALUE`, `sshpass -p VALUE`, `--password VALUE`, `echo VALUE | sudo -S`. */
export function findInCommands(text: string, found: Range[]): void {
	if (text.includes(" -") || text.includes("/") || text.includes('"-')) {
		eachMatch(FLAG, text, (match) => flag(match, found));
		PROGRAM.lastIndex = 0;
		for (let match = PROGRAM.exec(text); match; match = PROGRAM.exec(text))
			for (const { names, pattern, least } of programsKnown())
				if (names.test(match[0])) {
					pattern.lastIndex = PROGRAM.lastIndex;
					const given = pattern.exec(text);
					if (given) add(given, least, found);
				}
	}
	if (PIPE_HINT.test(text)) for (const pattern of PIPES) eachMatch(pattern, text, (match) => add(match, 3, found));
	if (SETTER_HINT.test(text)) for (const pattern of SETTERS) eachMatch(pattern, text, (match) => setter(match, found));
}

/** A word after a flag that is named like a secret is its value, unless prose goes on. */
const FLAG =
	/((?<![\w-])--?([A-Za-z][\w.-]{2,60})(?:[ \t]{1,4}|\\?["'],[ \t]{0,4})\$?\\{0,8}["']?)((?![-$<{([|;&])[^\s"'`\\]{5,})/g;

function flag(match: RegExpExecArray, found: Range[]): void {
	const [, lead, name, value] = match;
	const trust = trustIn(name!);
	if (!trust) return;
	const isQuoted = /["']$/.test(lead!);
	const given = value!.replace(/[,;)\]}.]+$/, "");
	const is =
		/\d|[!@#$%^&*]/.test(given) ||
		(isQuoted && /^[a-z]{8,}$/.test(given)) ||
		(trust === "sure" && /^[a-z]{10,}$/.test(given));
	if (is && isSecretValue(given, "sole", trust, name)) push(match, lead!, given, found);
}

let known: Program[] | null = null;
function programsKnown(): Program[] {
	known ??= programs.map(program);
	return known;
}

interface Program {
	names: RegExp;
	pattern: RegExp;
	/** A shorter value is none. */
	least: number;
}

/** Behind a program's name, in its line: one of the flags behind which it takes a secret, and what follows it. */
const program = ({ names, flags, least }: (typeof programs)[number]): Program => ({
	names: new RegExp(`^(?:${names})$`),
	pattern: new RegExp(`((?:[^\\n|;&]{0,200}?[ \\t"',])?(?:${flags})\\\\{0,8}["']?)([^\\s"'\`\\\\$<|;&]{3,200})`, "y"),
	least,
});

const PROGRAM =
	/(?<![\w-])(?:security|signtool|ssh-keygen|lftp|rabbitmqctl|mysql\w*|mariadb\w*|xtrabackup|7za?|7zr|unrar|rar|sshpass|docker|podman|helm|buildah|crane|oras|nerdctl|skopeo|mongo\w*|az|twine|cqlsh|clickhouse-client|influx|swaks|xfreerdp|rdesktop|snmp\w+|restic|ibmcloud|cf|oc|argocd|curl|https?|xh|wget|svn|aria2c|httpie|redis-cli|redis-benchmark|valkey-cli|keydb-cli|ldap\w+|mosquitto_\w+|sqlcmd|bcp|osql|isql|beeline|ipmitool|zip|unzip|freetds|smbclient|rpcclient|net|winexe|smbmap|openssl|htpasswd|cmdkey|psexec|wmic|runas|sqlplus|sqlldr|rman|expdp|impdp|exp|imp|sqlcl|connect|conn|kinit|nmcli|wpa_passphrase)(?=[ \t"',])/g;

function add(match: RegExpExecArray, least: number, found: Range[]): void {
	const lead = match[1]!;
	const given = match[2]!.replace(/[,)\]}]+$/, "");
	if (
		given.length < least ||
		isMarker(given) ||
		given.startsWith("[REDACTED:") ||
		isReference(given) ||
		/^[-/]|^\.\.?\//.test(given)
	)
		return;
	if (/^\d{1,5}(?::\d{1,5})?$/.test(given) && given.length < 6) return;
	// a database's name, a host, a port
	if (
		/^(?:mysql|localhost|root|test|http|https|tcp|info|json|pretty|form|verbose|ort|ath|rint|ager|arallel|refix|rofile|roject|lugin|rotocol|assword)/i.test(
			given,
		) &&
		!/\d/.test(given)
	)
		return;
	push(match, lead, given, found);
}

const PIPE_HINT =
	/<<<|\|\s*(?:sudo|docker|podman|helm|chpasswd|passwd|gh|cryptsetup|gpg|openssl|kinit|base64|op|vault|npm|flyctl|fly|wrangler|kubectl|aws|az|gcloud|heroku|mysql|psql|su\b|crane|secret-tool|pass\b|security|ssh-add)/;
const PIPES = [
	/((?:echo|printf)(?: -\w+)* (?:\\{0,8}["'])?(?:%s(?:\\n)?["']? ["']?)?)([^\s"'`\\$|<>-][^\s"'`\\|]{4,200})(?=\\{0,8}["']?\s*\|\s*(?:sudo -S|sudo|docker(?: \w+)? login|podman login|helm registry login|gh auth|gh secret|passwd|cryptsetup|gpg|kinit|vault|npm|flyctl|fly|wrangler|kubectl|aws|az |gcloud|su\b|crane|secret-tool|ssh-add))/g,
	/((?:echo|printf)(?: -\w+)* (?:\\{0,8}["'])?[\w.-]{1,40}:)([^\s"'`\\$|<>]{4,200})(?=\\{0,8}["']?\s*\|\s*(?:sudo )?(?:chpasswd|newusers))/g,
	/((?:--password-stdin|--passphrase-fd 0|--with-token|--token-stdin|login|kinit|passwd|secret (?:put|set) \S{1,60}|-S|--stdin)[^\n|;&]{0,60}<<<\s*\\{0,8}["']?)([^\s"'`\\$]{5,200})/g,
];

const SETTER_HINT =
	/(?<![A-Za-z])(?:AUTH|IDENTIFY|LOGIN |login |init |auth|register |activate |unlock |ConvertTo-Secure|expect|ENV |set -|setenv |setx |from-literal|secrets? (?:set|put|create|add)|config:(?:set|add)|config set|configure set|env (?:add|set)|secrets:set|kv put|setx|git config|put-parameter|create-secret|put-secret|-SecretValue|ansible-vault|set-secret|secret-string|variable set|add-generic-password|thin:|userid=)/;
const SETTERS = [
	/((?:thin:|userid=)[\w$#]{1,30}(\/))([^\s"'@/\\]{3,60})(?=@)/g,
	/((?:(?<=^|\n|> )AUTH(?! (?:PLAIN|LOGIN|XO))|AUTH(?:ENTICATE)? (?:PLAIN|LOGIN|XOAUTH2)|NickServ(?:@\S{1,40})?:? IDENTIFY(?: \S{1,30}(?= \S))?|\bLOGIN "?[\w.@+-]{2,60}"?) (")?)([^\s"'`\\]{5,400})/g,
	/(ConvertTo-SecureString (?:-String )?\\{0,8}(["'])?)([^\s"'`\\$]{4,200})/g,
	/((?:assword|assphrase)[^\n]{0,8}["'}]?[^\n]{0,40}\n?[^\n]{0,40}send(?: --)? \\{0,8}(["'{])?)([^\s"'`\\}]{4,200})/g,
	/((?:login|init|auth(?:enticate|orize|token)?|add-authtoken|register|activate|unlock|--auth)[ \t]{1,3}(["'])?)((?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,100})(?![\w./@-])/g,
	/((?:^|\n|\\n|[;&] ?|[ \t"'`=(])[ \t]{0,20}(?:\d{1,6}[→\t:|])?[+-]?[ \t]{0,20}(?:ENV|set -\w{1,4}|setenv|ARG|SETX|setx|set) ([\w.-]{2,80}) {1,4}\\{0,8}["']?)([^\s"'`\\=-][^\s"'`\\]{3,400})/g,
	/(--from-literal[= ]\\{0,8}["']?([\w.-]{1,80})=\\{0,8}["']?)([^\s"'`\\]{3,400})/g,
	/((?:secrets?(?::| )(?:set|import)|config:(?:set|add)|env(?::| )(?:add|set)|variable set|kv put \S{1,120}|vars? set)[^\n|;&]{0,200}?[ \t]\\{0,8}["']?([\w.-]{2,80})=\\{0,8}["']?)([^\s"'`\\]{3,400})/g,
	/((?:secrets? (?:set|put)|gh secret set)[^\n|;&]{0,200}?(?:--body|-b|--value|-v)[= ]?\\{0,8}(["'])?)([^\s"'`\\]{4,400})/g,
	/((?:pulumi config set [^\n|;&]{0,80}?--secret [\w:.-]{1,80} |config set [^\n|;&]{0,120}?(?:_authToken|_auth|_password|token|password|secret|key)[= ]|configure set [\w.-]{0,60}(?:secret|token|key)[\w.-]{0,30} |setx [\w.-]{0,40}(?:pass|secret|token|key|pwd)[\w.-]{0,20} |git config [^\n|;&]{0,80}?(?:token|password|pass|secret|extraheader)[\w.-]{0,20} )\\{0,8}(["'])?)([^\s"'`\\]{5,400})/gi,
	/((?:put-parameter|create-secret|put-secret-value|secret set|set-secret|add-generic-password|put-secret)[^\n|;&]{0,240}?(?:--value|--secret-string|-w|--secret-value)[= ]\\{0,8}(["'])?)([^\s"'`\\]{5,400})/g,
];

function setter(match: RegExpExecArray, found: Range[]): void {
	const [whole, lead, name, raw] = match;
	// any variable can be set that way: its name decides
	if (/^[\s"'`=(]*(?:\d{1,6}[→\t:|])?[+\-;&\\n \t]*(?:ENV|ARG|set|setenv|setx) /i.test(whole!)) {
		const trust = trustIn(name!);
		if (!trust || !isSecretValue(raw!, "shell", trust, name)) return;
		// in the middle of a sentence "set" is a word
		if (/^[ \t"'`=(]/.test(whole!) && !/\d/.test(raw!)) return;
	}
	if (/^(?:login|init|auth|add-|regi|acti|unlo|--auth)/.test(lead!) && !looksRandom(raw!, 20) && !UUID.test(raw!))
		return;
	const given = raw!.replace(/[,)\]}]+$/, "");
	if (
		isMarker(given) ||
		GRAMMAR.test(given) ||
		!/[\d!@#$%^&*+=~]/.test(given) ||
		given.startsWith("[REDACTED:") ||
		isReference(given) ||
		/^(?:true|false|\d{1,5}|on|off|production|development|debug|info)$/i.test(given)
	)
		return;
	if (
		/^(?:NODE_ENV|LOG_LEVEL|PORT|HOST|ENV|RAILS_ENV|TZ|LANG|username|user|host|port|url|region)$/i.test(name ?? "") &&
		!looksRandom(given, 16)
	)
		return;
	if (/^https?:\/\//.test(given) || /^\//.test(given)) return;
	push(match, lead!, given, found);
}

function push(match: RegExpExecArray, lead: string, given: string, found: Range[]): void {
	const start = match.index + lead.length;
	found.push({ start, end: start + given.length, kind: "secret" });
}
