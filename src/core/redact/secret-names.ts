/**
 * What a name says about its value: `sure` (a password: nearly any value is one), `likely` (a token, an API key: what has the
 * form of one), `maybe` (a key, a salt, a session: only what looks random), `null` (no secret's name).
 */
export type NameTrust = "sure" | "likely" | "maybe" | null;

const words = (list: string): Set<string> => new Set(list.split(" "));

const SURE = words(
	"password passwd passphrase passcode passwort kennwort passord losenord lösenord adgangskode kodeord salasana heslo hasło haslo jelszó sifre şifre parola senha contraseña contrasena wachtwoord motdepasse mdp pwd psw pw pswd userpass userpassword passw pasword secret secrets identified storepass keypass passin passout requirepass masterauth psk",
);
const LIKELY = words(
	"token auth cred creds credential credentials jwt bearer dsn sas sastoken apikey connectionstring connstr webhook totp mnemonic passkey authorization pat apitoken authtoken accesstoken refreshtoken bottoken secretkey accesskey privatekey signingkey encryptionkey masterkey accountkey authkey deploykey jeton sessionkey clientsecret appsecret adminkey servicekey licensekey wpapsk presharedkey p12 pfx pkcs12 keystore seedphrase htpasswd otpauth userpwd logintoken csrf xsrf",
);
const MAYBE = words(
	"key keys tokens salt pepper pin sig signature hmac session sessionid sessid phpsessid jsessionid sid cookie cookies code seed license licence otp nonce ticket passes schluessel schlüssel chave clave clé klucz webhooks sess iv assertion authenticity wif xprv",
);
/** Before `key`: what is kept secret. */
const KEY_OF = words(
	"api access secret private priv encryption encrypt decryption signing sign signature master account auth authentication shared storage service admin webhook jwt app application client deploy ssh root session cookie crypto cipher aes hmac rsa gpg pgp license licence integration ingest ingestion write bot consumer subscription function functions partner vault unseal recovery stream fernet server user project org team personal live prod production test sandbox tls ssl host hostkey symmetric wallet wireguard preshared pre rest data-encryption rndc tsig database db backup gateway payment sdk maps ai llm model platform publish push cloud",
);
/** Before `key`, `token` and the like: what is no secret, whatever it looks like. */
const OF_NOTHING = words(
	"public pub publishable primary foreign sort partition cache composite unique index row map dict object query react i18n translation message group routing s3 file shortcut hot arrow registry json yaml lookup natural surrogate range bucket feature flag config sort order lang locale column record entity item tree node react dedup dedupe idempotency verification verify host known fingerprint hash next page pagination continuation cursor sync design css eos bos pad unk mask sep cls stop special start end syntax num max min total count input output prompt completion reasoning thinking budget per used cached hot enter escape tab space return arrow kbd keyboard press event map answer cert certificate kms turn boarding first second status exit error http zip postal country area source byte op char color colour qr bar promo discount coupon language currency reason response state return language area product item gift sku",
);
/** Behind the name without changing what it names. */
const TRAILING = words(
	"value val prod production dev development staging stage test testing old new current previous next b64 base64 enc encoded encrypted plain plaintext cleartext raw string str text default live base main backup readonly ro rw env input param parameter arg data here a b c i ii x temp tmp local remote master slave root admin one two private pem content contents primary secondary material",
);
const JOINED =
	/(?:password|passwd|passphrase|passcode|passwort|kennwort|wachtwoord|contrasena|apikey|secretkey|accesskey|privatekey|authkey|encryptionkey|signingkey|masterkey|accountkey|sharedkey|licensekey|secret|token|pwd|(?:db|user|root|admin|smtp|ftp|mail|my|ssh|sql|mysql|pg|redis|ldap|wifi|login|trust|store)pass|connectionstring|connstring|authtoken|sessionid|credentials)$/;

/** Judges a name by its last words: `DB_PASSWORD_PROD`, `stripeApiKey2`, `x-auth-token`, `client-key-data`. */
export function trustIn(name: string): NameTrust {
	const seen = judged.get(name);
	if (seen !== undefined) return seen;
	if (judged.size > 4_000) judged.clear();
	const trust = judge(name);
	judged.set(name, trust);
	return trust;
}

const judged = new Map<string, NameTrust>();

function judge(name: string): NameTrust {
	const parts = wordsOf(name);
	while (parts.length > 1 && (TRAILING.has(parts.at(-1)!) || /^(?:v?\d+)$/.test(parts.at(-1)!))) parts.pop();
	const whole = parts.at(-1) ?? "";
	const last = LIKELY.has(whole) ? whole : whole.replace(/\d+$/, "");
	const before = parts.at(-2) ?? "";
	const both = before + last;
	if (last === "string" || last === "str" || both === "connectionstring") return null;
	if (SURE.has(last)) return before === "no" ? null : last === "secrets" ? "likely" : "sure";
	if (last === "pass") return OF_NOTHING.has(before) ? null : "sure";
	if (last === "key" || last === "keys") {
		if (OF_NOTHING.has(before)) return null;
		return KEY_OF.has(before) || LIKELY.has(both) ? "likely" : "maybe";
	}
	if (last === "id") return both === "sessionid" || both === "sessid" ? "maybe" : before === "secret" ? "maybe" : null;
	if (LIKELY.has(last)) return OF_NOTHING.has(before) ? (last === "token" ? null : "maybe") : "likely";
	if (MAYBE.has(last)) return OF_NOTHING.has(before) && !/salt|pepper/.test(last) ? null : "maybe";
	if (last === "phrase" && (before === "pass" || before === "seed" || before === "secret" || before === "recovery"))
		return "sure";
	if (last === "words" && before === "seed") return "sure";
	if (last === "word" && before === "pass") return "sure";
	if (last === "url" && (before === "webhook" || before === "database" || before === "db")) return null;
	if (JOINED.test(last))
		return /(?:secret|passw|pass|pwd|wort|woord|sena|code|phrase|sswd)/.test(last) ? "sure" : "likely";
	return null;
}

/** `APIKey2_prod` as `api`, `key`, `2`, `prod`. A name is short: its caller sees to it. */
export function wordsOf(name: string): string[] {
	return name
		.replace(/connection[_\-. ]?string/gi, "dsn")
		.replace(/conn(?:ection)?[_\-. ]?str(?:ing)?(?![a-z])/gi, "dsn")
		.replace(/([a-zà-ÿ0-9])([A-Z])/g, "$1 $2")
		.replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
		.toLowerCase()
		.split(/[^a-z0-9à-ɏ]+/)
		.filter(Boolean);
}
