import { asText } from "./encoded.ts";
import { isReference } from "./marker.ts";
import { looksRandom } from "./random-looking.ts";
import { eachMatch, type Range } from "./ranges.ts";
import { isName } from "./secret-values.ts";

/** What files and lists of a known build hold: `.pgpass`, Docker's and Kubernetes' secrets, one-time seeds, codes and words to recover an account. */
export function findInFormats(text: string, found: Range[]): void {
	if (!ANY.test(text)) return;
	for (const { hint, find } of FORMATS) if (hint.test(text)) find(text, found);
}

/** One look for all of them: most texts hold none. */
const ANY =
	/:(?:\d{2,5}|\*):|"auths?\\*"|(?<![A-Za-z])(?:kind\\*"?\s*:|stringData|otpauth|t?otp|2fa|mfa|auth|two-factor|seed|setup|recovery|backup|scratch|rescue|emergency|one-time|wieder|reserve|notfall|codes?|c[óo]digos?|mnemonic|secret|wallet|bip|wif|bitcoin|btc|priv|import|eth|solana|keypair|deployer|signer|account)|[?&](?:amp;)?(?:X-|sig|Signature|hmac|code|ticket)/i;

/** A long word drawn by lot that stands alone, between quotes or spaces: nothing else has that form. */
const ALONE = /(?<![^\s"'`(=,[{>])[A-Za-z0-9]{32,56}={0,2}(?=["'`),;\]}<]|\s|$)/g;

export function findAlone(text: string, found: Range[]): void {
	eachMatch(ALONE, text, (match) => {
		const value = match[0];
		if (
			(value.match(/[a-z]/g)?.length ?? 0) < 4 ||
			(value.match(/[A-Z]/g)?.length ?? 0) < 4 ||
			value.startsWith("eyJ") ||
			(value.match(/\d/g)?.length ?? 0) < 3 ||
			!looksRandom(value, 32) ||
			isName(value, 2.6) ||
			asText(Buffer.from(value, "base64")) !== null
		)
			return;
		const before = /[^\n]*$/.exec(text.slice(Math.max(0, match.index - 60), match.index))![0];
		// a line of a certificate or a picture, a hash, a name of something public
		if (/^[\s>+|]*$/.test(before) && /^\s*(?:\n|$)/.test(text.slice(match.index + value.length))) return;
		if (
			/(?:hash|digest|checksum|integrity|sha\d*|md5|etag|public(?:_?key)?|pub|client_?id|clientid|uid|version|build|commit|rev|cursor|page|request|trace|span|fingerprint|nonce)["'`]?\s*[:=(]?\s*["'`]?$/i.test(
				before,
			)
		)
			return;
		found.push({ start: match.index, end: match.index + value.length, kind: "random" });
	});
}

const FORMATS: { hint: RegExp; find(text: string, found: Range[]): void }[] = [
	{
		hint: /:(?:\d{2,5}|\*):/,
		find: (text, found) => each(text, PGPASS, found, (value) => !isReference(value) && !NO_PASSWORD.test(value)),
	},
	{ hint: /"?kind\\*"?\s*:\s*\\*"?Secret|stringData/, find: findKubernetes },
	{ hint: /auths?\\*"/, find: (text, found) => each(text, DOCKER_AUTH, found, (value) => value.length >= 8) },
	{
		hint: /otpauth|totp|2fa|mfa|authenticator|two-factor|seed|setup key/i,
		find: (text, found) =>
			each(text, TOTP, found, (value) => /[A-Z]/i.test(value) && value.replace(/\s/g, "").length >= 16),
	},
	{
		hint: /(?:recovery|backup|scratch|rescue|emergency|one-time)[ _-]?(?:codes?|keys?)|(?:wiederherstellungs|reserve|notfall)codes?|codes? de (?:récupération|secours)|códigos? de (?:recuperación|recuperação|respaldo)/i,
		find: findCodes,
	},
	{ hint: /mnemonic|seed|(?:recovery|backup|secret|wallet)[ _-]?(?:phrase|words)|bip-?39/i, find: findMnemonics },
	{
		hint: /\b(?:wif|wallet|bitcoin|btc|privkey|priv(?:ate)?[ _-]?key|importprivkey|ethereum|eth|solana|keypair|deployer)\b/i,
		find: findWallets,
	},
	{
		hint: /[?&](?:X-(?:Amz|Goog)-(?:Signature|Security-Token|Credential)|sig|Signature|se|hmac|hash|code|ticket|sv)=/i,
		find: (text, found) => each(text, PRESIGNED, found, () => true),
	},
];

function each(text: string, pattern: RegExp, found: Range[], is: (value: string) => boolean): void {
	eachMatch(pattern, text, (match) => {
		const value = match.at(-1)!;
		if (value.startsWith("[REDACTED:") || !is(value)) return;
		const end = match.index + match[0].length;
		found.push({ start: end - value.length, end, kind: "secret" });
	});
}

/** What stands in the place of a password in a manual, or in a line of another kind. */
const NO_PASSWORD = /^(?:\d+|pass(?:word|wd|wort)?|pwd|pw|latest|stable|main|master|none|null|true|false)$/i;
const PGPASS =
	/(?:^|[\n"'`]|\\n)(?:[ \t]{0,6}\d{1,6}[→\t:|] ?)?[+>-]?[\w.*-]{1,80}:(?:\d{2,5}|\*):[\w*.-]{1,60}:[\w*.-]{1,60}:([^\s:"'`\\]{3,200})/g;
const DOCKER_AUTH =
	/\\{0,8}"(?:auth|identitytoken|registrytoken)\\{0,8}"\s{0,4}:\s{0,4}\\{0,8}"([A-Za-z0-9+/=_.-]{8,4000})/g;
const TOTP =
	/(?:otpauth(?::|%3A)[^\s"'<>]{0,300}?secret(?:=|%3D)|(?:totp|2fa|mfa|authenticator|two-factor|otp|setup)[ _-]?(?:secret|seed|key|code|token|setup key)?[^\n:=]{0,30}[:=][ \t]{0,4}["'`]?)([A-Z2-7]{16,128}=*|(?:[A-Z2-7]{4}[ -]){3,31}[A-Z2-7]{1,4})(?![A-Za-z0-9])/gi;
const PRESIGNED =
	/[?&](?:amp;)?(?:X-(?:Amz|Goog)-(?:Signature|Security-Token)|sig|Signature|hmac|code|ticket)=([^\s"'`<>&#)\]}\\]{12,4000})/gi;

/** Under `data:` and `stringData:` of a Secret every value is one. */
function findKubernetes(text: string, found: Range[]): void {
	eachMatch(DATA_BLOCK, text, (block) => {
		const offset = block.index + block[0].length - block[1]!.length;
		eachMatch(DATA_LINE, block[1]!, (match) => take(match, offset, found));
	});
	eachMatch(DATA_FLAT, text, (block) => {
		const offset = block.index + block[0].length - block[1]!.length;
		eachMatch(FLAT_FIELD, block[1]!, (match) => take(match, offset, found));
	});
	eachMatch(DATA_OBJECT, text, (block) => {
		const offset = block.index + block[0].length - block[1]!.length;
		eachMatch(DATA_FIELD, block[1]!, (match) => take(match, offset, found));
	});
}
const DATA_BLOCK =
	/(?:^|\n|\\n)[^\S\n]{0,20}(?:\d{1,6}[→\t:|])?[+-]?[ \t]{0,20}(?:data|stringData):[ \t]*(?:\r?\n|\\n)((?:(?:[ \t]{0,6}\d{1,6}[→\t:|])?[+-]?[ \t]{1,40}[^\n\\]{1,4000}(?:\r?\n|\\n|$)){1,60})/g;
const DATA_LINE =
	/(?:^|\n|\\n)[^\S\n]{0,20}(?:\d{1,6}[→\t:|])?[+-]?[ \t]{1,40}[\w.-]{1,100}:[ \t]{1,8}["']?([^\s"'\\|>][^\s"'\\]{2,4000})/g;
/** On one line, as a command's text or a title has it. */
const DATA_FLAT = /(?<![\w-])(?:data|stringData): ((?:[\w.-]{1,80}: [^\s:]{3,400} ?){1,40})/g;
const FLAT_FIELD = /(?<![\w-])(?!(?:type|name|namespace|kind|immutable):)[\w.-]{1,80}: ([^\s:]{3,400})/g;
const DATA_OBJECT = /\\{0,8}"(?:data|stringData)\\{0,8}"\s{0,4}:\s{0,4}\{([^{}]{1,8000})\}/g;
const DATA_FIELD = /\\{0,8}"[\w.-]{1,100}\\{0,8}"\s{0,4}:\s{0,4}\\{0,8}"([^"\\]{3,4000})/g;

function take(match: RegExpExecArray, offset: number, found: Range[]): void {
	const value = match[1]!;
	if (value.startsWith("[REDACTED:") || isReference(value)) return;
	const end = offset + match.index + match[0].length;
	found.push({ start: end - value.length, end, kind: "secret" });
}

const CODES_HEAD =
	/(?:(?:recovery|backup|scratch|rescue|emergency|one-time)[ _-]?(?:codes?|keys?)|(?:wiederherstellungs|reserve|notfall)codes?|codes? de (?:récupération|secours)|códigos? de (?:recuperación|recuperação|respaldo))["'`*]{0,3}[^\n:=]{0,60}[:=\n][\s"'`*[({]{0,12}/gi;
const CODE =
	/(?:\s|\\{1,4}[nrt]|[,;|/"'`*•·→)(\]-]|\d{1,2}[.):→]|and\b|und\b|\[ ?\]){0,12}([A-Za-z0-9]{3,10}(?:[- ](?=[A-Za-z0-9]*\d|[A-Z]{4})[A-Za-z0-9]{3,10}){1,7}|(?=[A-Za-z]{0,15}\d)[A-Za-z0-9]{6,16}|\d{6,10}|[a-z0-9]{8,12})(?![A-Za-z0-9])/y;

/** Codes to get back into an account: a list of short tokens behind its heading. */
function findCodes(text: string, found: Range[]): void {
	eachMatch(CODES_HEAD, text, (head) => {
		let at = head.index + head[0].length;
		for (let n = 0; n < 32; n++) {
			CODE.lastIndex = at;
			const code = CODE.exec(text);
			if (!code || !/\d/.test(code[1]!)) break;
			const end = CODE.lastIndex;
			found.push({ start: end - code[1]!.length, end, kind: "recovery-code" });
			at = end;
		}
	});
}

const MNEMONIC =
	/(?:mnemonic|seed|(?:recovery|backup|secret|wallet)[ _-]?(?:phrase|words)|bip-?39)[^\n:="'`]{0,40}(?:[:=]|is|are|\n|["'`]){1,3}[\s"'`*:=>[\\]{0,12}((?:(?:\d{1,2}[.):]? ?)?[a-z]{3,8}(?:["'`]?,["'`]?|\s|\\n){1,4}){11,24}[a-z]{3,8}|(?:(?:\d{1,2}[.):]? ?)?[a-z]{3,8}[\s,]{1,4}){11,23}(?:\d{1,2}[.):]? ?)?[a-z]{3,8})/gi;

function findMnemonics(text: string, found: Range[]): void {
	eachMatch(MNEMONIC, text, (match) => {
		const words = match[1]!;
		if ((words.match(/\b(?:the|and|with|that|this|you|your|for|are|must|from|should)\b/g)?.length ?? 0) > 1) return;
		const end = match.index + match[0].length;
		found.push({ start: end - words.length, end, kind: "mnemonic" });
	});
}

const WIF = /(?<![A-Za-z0-9])(?:[5KL][1-9A-HJ-NP-Za-km-z]{50,51}|6P[1-9A-HJ-NP-Za-km-z]{56})(?![A-Za-z0-9])/g;
const ETH =
	/(?:priv(?:ate)?[ _-]?key|deployer|wallet|signer|account)[^\n]{0,60}?((?<![A-Za-z0-9])(?:0x)?[0-9a-f]{64})(?![0-9A-Za-z])/gi;
const SOLANA = /\[\s{0,4}((?:\d{1,3}\s{0,4},\s{0,4}){31,63}\d{1,3})\s{0,4}\]/g;

function findWallets(text: string, found: Range[]): void {
	eachMatch(WIF, text, (match) => {
		if (looksRandom(match[0], 30))
			found.push({ start: match.index, end: match.index + match[0].length, kind: "wallet-key" });
	});
	each(text, ETH, found, () => true);
	if (/keypair|solana|id\.json|secret ?key/i.test(text)) each(text, SOLANA, found, () => true);
}
