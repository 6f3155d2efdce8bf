// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the references are data
import type { LookAlike, SecretCase } from "./case.ts";
import { Draw } from "./draw.ts";

/** A second part that no rule was made for: written after the first held-out part had been looked at, measured once. */
type Form = [kind: string, value: (d: Draw) => string, text: (value: string, d: Draw) => string];

const j = (...parts: string[]): string => parts.join("");
const pw = (d: Draw): string =>
	d.one([
		() => d.password(),
		() => d.leet(),
		() => `${d.base62(9)}${d.one(["$", "?", "&", "+"])}`,
		() => `${d.one(["river", "stone", "amber", "cobalt"])}-${d.one(["lamp", "kite", "drum"])}-${d.digits(3)}`,
	])();
const k40 = (d: Draw): string => d.base62(40);

const FORMS: Form[] = [
	["stripe in python", (d) => j("sk", "_test_", d.base62(24)), (v) => `stripe.api_key = "${v}"`],
	["segment", (d) => d.base62(32), (v) => `analytics = Analytics(write_key='${v}')`],
	["amplitude", (d) => d.hex(32), (v) => `amplitude.init("${v}")\nAMPLITUDE_SECRET_KEY=${v}`],
	["mixpanel", (d) => d.hex(32), (v) => `MIXPANEL_TOKEN: ${v}`],
	["bugsnag", (d) => d.hex(32), (v) => `Bugsnag.start({ apiKey: '${v}' })`],
	["rollbar", (d) => d.hex(32), (v) => `rollbar:\n  access_token: ${v}`],
	["honeycomb", (d) => d.base62(22), (v) => `x-honeycomb-team: ${v}\nHONEYCOMB_API_KEY=${v}`],
	["logdna", (d) => d.hex(32), (v) => `LOGDNA_INGESTION_KEY=${v}`],
	["fastly", (d) => d.url64(32), (v) => `curl -H "Fastly-Key: ${v}" https://api.fastly.com/service`],
	["akamai", (d) => d.base64(44), (v) => `client_secret = ${v}\nhost = x.luna.akamaiapis.net`],
	["cloudflare global", (d) => d.hex(37), (v) => `curl -H "X-Auth-Email: me@example.com" -H "X-Auth-Key: ${v}"`],
	[
		"github actions",
		(d) => j("gh", "s_", d.base62(36)),
		(v) => `git config --global url."https://x-access-token:${v}@github.com/".insteadOf https://github.com/`,
	],
	[
		"git extraheader",
		(d) => Buffer.from(`x:${d.base62(30)}`).toString("base64"),
		(v) => `git -c http.extraheader="AUTHORIZATION: basic ${v}" fetch`,
	],
	["gitlab ci", (d) => j("gl", "cbt-64_", d.url64(20)), (v) => `CI_JOB_TOKEN=${v}`],
	[
		"nuget push",
		(d) => j("oy", "2", d.lower36(43)),
		(v) => `dotnet nuget push x.nupkg --api-key ${v} -s https://api.nuget.org`,
	],
	["cargo login", (d) => j("ci", "o", d.base62(32)), (v) => `cargo login ${v}`],
	["gem", (d) => j("ruby", "gems_", d.hex(48)), (v) => `:rubygems_api_key: ${v}`],
	["hex.pm", (d) => d.hex(32), (v) => `HEX_API_KEY=${v} mix hex.publish`],
	[
		"composer",
		(d) => d.hex(40),
		(v) => `composer config --global github-oauth.github.com ${v}\n{"github-oauth": {"github.com": "${v}"}}`,
	],
	["conda", (d) => d.hex(36), (v) => `https://conda.anaconda.org/t/${v}/acme`],
	["expo", (d) => d.url64(40), (v) => `EXPO_TOKEN=${v} eas build`],
	["fastlane", pw, (v) => `FASTLANE_PASSWORD="${v}" fastlane beta`],
	["match", pw, (v) => `MATCH_PASSWORD=${v}`],
	["android", pw, (v) => `storePassword '${v}'\nkeyAlias 'upload'\nkeyPassword '${v}'`],
	["key.properties", pw, (v) => `storePassword=${v}\nkeyAlias=upload`],
	["xcode", pw, (v) => `security unlock-keychain -p ${v} login.keychain`],
	["codesign", pw, (v) => `security import cert.p12 -k build.keychain -P '${v}' -T /usr/bin/codesign`],
	[
		"notary",
		(d) => [4, 4, 4, 4].map((n) => d.from("abcdefghijkmnopq", n)).join("-"),
		(v) => `xcrun notarytool store-credentials --apple-id me@example.com --password "${v}"`,
	],
	["signtool", pw, (v) => `signtool sign /f cert.pfx /p ${v} app.exe`],
	["ssh-keygen", pw, (v) => `ssh-keygen -t ed25519 -N '${v}' -f id`],
	["pkcs12 cmd", pw, (v) => `openssl pkcs12 -export -out a.p12 -inkey k.pem -password pass:${v}`],
	["keystore", pw, (v) => `server.ssl.key-store-password: ${v}`],
	["jboss", pw, (v) => `<key-store><credential-reference clear-text="${v}"/></key-store><!-- password ${v} -->`],
	["weblogic", pw, (v) => `-Dweblogic.management.password=${v}`],
	["catalina", pw, (v) => `<Resource name="jdbc/x" username="app" password="${v}" driverClassName="x"/>`],
	["persistence", pw, (v) => `<property name="javax.persistence.jdbc.password" value="${v}"/>`],
	["ado", pw, (v) => `new SqlConnection("Data Source=.;User Id=sa;Pwd=${v};")`],
	["odbc", pw, (v) => `DRIVER={ODBC Driver 17};SERVER=x;UID=app;PWD=${v}`],
	["snowflake", pw, (v) => `snowsql -a acme -u me  # SNOWSQL_PWD=${v}`],
	["bigquery key id", (d) => d.base62(60), (v) => `"client_secret": "${v}", "refresh_token": "1//x"`],
	["redis conf", pw, (v) => `requirepass ${v}\nmaxmemory 1gb`],
	["redis acl", pw, (v) => `ACL SETUSER app on >${v} ~* +@all  # password is ${v}`],
	["pgbouncer", (d) => `md5${d.hex(32)}`, (v) => `"app" "${v}"`],
	["pg hba", pw, (v) => `ALTER USER app PASSWORD '${v}'; -- rotate`],
	["mysql set", pw, (v) => `SET PASSWORD FOR 'app'@'%' = PASSWORD('${v}');`],
	["mongo createUser", pw, (v) => `db.createUser({ user: "app", pwd: "${v}", roles: [] })`],
	["cassandra", pw, (v) => `CREATE ROLE app WITH PASSWORD = '${v}' AND LOGIN = true;`],
	["neo4j", pw, (v) => `NEO4J_AUTH=neo4j/${v}`],
	["couch", pw, (v) => `curl http://admin:${v}@127.0.0.1:5984/_all_dbs`],
	["minio mc", k40, (v) => `mc alias set local http://localhost:9000 minio ${v}  # secret key ${v}`],
	["s3cmd", k40, (v) => `s3cmd --access_key=x --secret_key=${v} ls`],
	["boto", k40, (v) => `boto3.client("s3", aws_access_key_id="x", aws_secret_access_key="${v}")`],
	["gcs hmac", k40, (v) => `gs_secret_access_key = ${v}`],
	[
		"terraform cloud rc",
		(d) => j(d.base62(14), ".atlas", "v1.", d.url64(67)),
		(v) => `credentials "app.terraform.io" {\n  token = "${v}"\n}`,
	],
	["nomad", (d) => d.uuid(), (v) => `NOMAD_TOKEN=${v}`],
	["consul", (d) => d.uuid(), (v) => `curl -H "X-Consul-Token: ${v}" http://localhost:8500/v1/kv/x`],
	["vault approle", (d) => d.uuid(), (v) => `vault write auth/approle/login role_id=x secret_id=${v}`],
	["vault unseal", (d) => `${d.base64(43)}=`, (v) => `Unseal Key 1: ${v}`],
	["vault root", (d) => j("hv", "s.", d.base62(24)), (v) => `Initial Root Token: ${v}`],
	["k3s", (d) => j("K10", d.hex(64), "::server:", d.hex(32)), (v) => `k3s agent --server https://x:6443 --token ${v}`],
	[
		"kubeadm",
		(d) => `${d.lower36(6)}.${d.lower36(16)}`,
		(v) => `kubeadm join 10.0.0.1:6443 --token ${v} --discovery-token-unsafe-skip-ca-verification`,
	],
	[
		"docker swarm",
		(d) => j("SWMTKN", "-1-", d.lower36(50), "-", d.lower36(25)),
		(v) => `docker swarm join --token ${v} 10.0.0.1:2377`,
	],
	[
		"registry pull",
		(d) => d.base62(30),
		(v) => `kubectl create secret docker-registry r --docker-username=me --docker-password=${v}`,
	],
	["sealed", pw, (v) => `kubectl create secret generic x --from-literal=api='${v}'`],
	["argocd", pw, (v) => `argocd login cd.example.com --username admin --password ${v}`],
	["systemd", pw, (v) => `Environment="APP_DB_PASSWORD=${v}"`],
	["crontab", pw, (v) => `0 3 * * * PGPASSWORD=${v} pg_dump app > /b/app.sql`],
	["nginx basic", (d) => `$apr1$${d.base62(8)}$${d.base62(22)}`, (v) => `jane:${v}`],
	["wp cli", pw, (v) => `wp user create bob bob@example.com --user_pass=${v}`],
	["drush", pw, (v) => `drush upwd admin --password="${v}"`],
	["artisan", (d) => `base64:${d.base64(43)}=`, (v) => `APP_KEY=${v}\nAPP_DEBUG=true`],
	["flask", (d) => d.hex(48), (v) => `app.secret_key = "${v}"`],
	["fastapi", (d) => d.hex(64), (v) => `SECRET_KEY: str = "${v}"`],
	["pydantic", pw, (v) => `password: SecretStr = SecretStr("${v}")`],
	["express", k40, (v) => `app.use(session({ secret: "${v}", resave: false }))`],
	["next auth", (d) => d.base64(44), (v) => `NEXTAUTH_SECRET=${v}`],
	["nest", k40, (v) => `JwtModule.register({ secret: '${v}' })`],
	["jwt sign", k40, (v) => `jwt.sign({ sub: 1 }, "${v}")  // jwt secret`],
	["cypress", pw, (v) => `cy.login("admin@example.com", "${v}"); // password ${v}`],
	["playwright", pw, (v) => `await page.getByLabel("Password").fill("${v}");`],
	["selenium", pw, (v) => `driver.find_element(By.ID, "password").send_keys("${v}")`],
	["http file", k40, (v) => `GET https://api.example.com/x\nApi-Token: ${v}\n`],
	["openapi example", pw, (v) => `"password": { "type": "string", "example": "${v}" }`],
	["yaml list", pw, (v) => `users:\n  - { name: admin, password: ${v} }`],
	["yaml quoted key", pw, (v) => `"db.password": '${v}'`],
	["json5", pw, (v) => `{ user: 'a', pass: '${v}', }`],
	["edn", pw, (v) => `{:db {:user "app" :password "${v}"}}`],
	["erlang", pw, (v) => `{password, "${v}"}.`],
	["haskell", k40, (v) => `apiKey = "${v}" :: Text`],
	["ocaml", k40, (v) => `let api_token = "${v}"`],
	["objc", k40, (v) => `static NSString *const kApiSecret = @"${v}";`],
	["c define", k40, (v) => `#define API_KEY "${v}"`],
	["cpp", pw, (v) => `const char* wifi_password = "${v}";`],
	["arduino", pw, (v) => `WiFi.begin("home", "${v}"); // wifi password ${v}`],
	["esphome", pw, (v) => `wifi:\n  ssid: home\n  password: "${v}"`],
	["hass", (d) => d.hex(64), (v) => `long_lived_token: ${v}`],
	["mqtt", pw, (v) => `mosquitto_pub -u me -P ${v} -t x -m y`],
	["snmp", pw, (v) => `snmpwalk -v3 -u me -A ${v} -l authPriv 10.0.0.1`],
	["cisco", pw, (v) => `enable secret 0 ${v}`],
	["radius", pw, (v) => `client x { secret = ${v} }`],
	["ipsec", pw, (v) => `%any : PSK "${v}"`],
	["ppp", pw, (v) => `"me" * "${v}" *  # chap secret password ${v}`],
	["imap", pw, (v) => `a1 LOGIN me@example.com ${v}`],
	["smtp auth", (d) => Buffer.from(`\u0000me\u0000${d.password()}`).toString("base64"), (v) => `AUTH PLAIN ${v}`],
	["msmtp", pw, (v) => `account gmail\nuser me@example.com\npassword ${v}`],
	["mutt", pw, (v) => `set imap_pass="${v}"`],
	["irc", pw, (v) => `/msg NickServ IDENTIFY ${v}`],
	["email", pw, (v) => `Hi Jane,\n\nyour account is ready.\n\nUser: jane\nPassword: ${v}\n\nBest`],
	["chat", pw, (v) => `pass for the demo tenant: ${v} (rotates monthly)`],
	["note", pw, (v) => `TODO rotate, current = ${v} (admin password)`],
	["ticket", pw, (v) => `Steps: 1. open /admin 2. log in as root with password ${v} 3. click`],
	["commit", pw, (v) => `fix: use ${v} as the db password in ci`],
	["commit 2", (d) => j("gh", "p_", d.base62(36)), (v) => `wip ${v} remove later`],
	["file name", (d) => j("AK", "IA", d.upper(16)), (v) => `notes-${v}.txt`],
	["branch", (d) => j("gl", "pat-", d.url64(20)), (v) => `feature/${v}`],
	["todo", pw, (v) => `- [ ] change db password from ${v} to something better`],
	["summary", pw, (v) => `The user provided the production DB password (\`${v}\`) and asked to keep it out of git.`],
	["summary 2", k40, (v) => `- API key in use: ${v}`],
	["swiss", pw, (v) => `S'Passwort isch ${v}, bitte nöd wiitergäh. Passwort: ${v}`],
	["austrian", pw, (v) => `Das neue Passwort wurde auf ${v} gesetzt`],
	["french 3", pw, (v) => `Le nouveau mot de passe du wifi c'est ${v}`],
	["spanish 3", pw, (v) => `He cambiado la contraseña a ${v}`],
	["portuguese 3", pw, (v) => `Senha do admin: ${v}`],
	["italian 3", pw, (v) => `Ho impostato la password a ${v}`],
	["polish 2", pw, (v) => `hasło: ${v}`],
	["russian 3", pw, (v) => `логин admin, пароль ${v}`],
	["ukrainian 2", pw, (v) => `Пароль адміністратора — ${v}`],
	["chinese 3", pw, (v) => `口令为 ${v}，请保密`],
	["japanese 3", pw, (v) => `ログイン用パスワード: ${v}`],
	["korean 3", pw, (v) => `암호: ${v}`],
	["turkish 2", pw, (v) => `Veritabanı şifresi ${v} oldu`],
	["url fragment", k40, (v) => `https://app.example.com/cb#access_token=${v}&token_type=bearer`],
	["url signed", (d) => d.hex(64), (v) => `https://cdn.example.com/v.mp4?expires=1790000000&token=${v}`],
	["cloudfront", (d) => d.url64(340), (v) => `https://d1.cloudfront.net/x?Expires=1&Signature=${v}&Key-Pair-Id=K1`],
	["magic link", (d) => d.url64(43), (v) => `https://app.example.com/auth/magic?token=${v}`],
	["reset link", (d) => d.hex(40), (v) => `https://app.example.com/reset?reset_token=${v}`],
	["ws", k40, (v) => `wss://rt.example.com/socket?apikey=${v}&v=1`],
];

export function heldOutAgainCases(seed: number): SecretCase[] {
	const d = new Draw(seed);
	return FORMS.map(([kind, make, put]) => {
		const value = make(d);
		return { kind, text: put(value, d), secrets: [value] };
	});
}

const LINES = `const isPasswordValid = await argon2.verify(hash, password);
this.passwordControl = new FormControl("", [Validators.required, Validators.minLength(8)]);
type PasswordResetToken = { userId: number; expiresAt: Date };
password_confirmation: values.password_confirmation,
<FormLabel htmlFor="password">New password (8-64 characters)</FormLabel>
validates :password, length: { minimum: 12 }
has_secure_password
Rails.application.credentials.secret_key_base
settings.SECRET_KEY
config :joken, default_signer: System.fetch_env!("JWT_SECRET")
var apiKey = Environment.GetEnvironmentVariable("API_KEY");
String token = System.getenv("GITHUB_TOKEN");
token = os.Getenv("TOKEN")
$token = $_ENV['API_TOKEN'] ?? null;
let key = std::env::var("API_KEY").expect("API_KEY not set");
API_KEY=$(security find-generic-password -w -s api)
API_KEY=\`pass show api/key\`
echo "$DB_PASSWORD" | docker login -u me --password-stdin
docker login -u me --password-stdin < ~/.token
curl -H "Authorization: token $GITHUB_TOKEN" https://api.github.com/user
curl -u "$JIRA_USER:$JIRA_TOKEN" https://x
psql "postgresql://$PGUSER:$PGPASSWORD@$PGHOST/app"
mysql --defaults-extra-file=~/.my.cnf app
kubectl get secret db -o jsonpath='{.data.password}' | base64 -d
kubectl create secret generic db --from-env-file=.env
aws secretsmanager get-secret-value --secret-id prod/db
gcloud secrets versions access latest --secret=db-password
op read "op://Private/GitHub/token"
vault kv get -field=password secret/app
gh auth token | pbcopy
ssh-keygen -lf id_ed25519.pub
openssl rand -hex 32
openssl req -new -key server.key -out server.csr
gpg --export-secret-keys --armor KEYID
npm token list
npm config set registry https://registry.example.com/
The user asked to rotate all API keys before Friday.
I will not print the token.
The token in .env is read by config.ts line 42.
Replaced the hard-coded password with an environment variable.
the tests use a dummy token
Add rate limiting to POST /login (5 attempts/min)
tokens expire after 15m, refresh after 7d
Session tokens are 32 random bytes, base64url-encoded.
password entropy should be > 60 bits
uses PBKDF2 with 600000 iterations and a 16-byte salt
we hash the password with argon2id (m=64MB, t=3)
pwd
pwd: /home/me/app
cd - && pwd
$PWD/node_modules/.bin
PWD=/srv/app
OLDPWD=/tmp
auth.ts:42:13 - error TS2322: Type 'string' is not assignable to type 'AuthToken'.
src/auth/password.service.spec.ts
docs/api-keys.md
packages/token-bucket/index.js
lib/secrets/README.md
test/fixtures/keys/public.pem
200 OK /api/tokens 12ms
DELETE /v1/api-keys/42 204
"keys": ["id", "name", "createdAt"]
"required": ["username", "password"]
"properties": {"password": {"type": "string", "format": "password", "minLength": 8}}
"description": "The API key to use for the request"
"message": "Invalid username or password"
"error": "invalid_grant", "error_description": "Token has been revoked"
"code": "auth/wrong-password"
"scopes": ["repo", "write:packages"]
"cookie": "^0.6.0", "cookie-parser": "~1.4.6"
"jsonwebtoken": "^9.0.2",
"passport-jwt": "4.0.1"
"keytar": "7.9.0"
"@types/bcrypt": "5.0.2"
secrets==1.0
tokenizers==0.19.1
python-keycloak>=4.0
keyring 25.2.1
Key: value pairs are separated by commas
Keys: id, name, email
key=lambda r: (r.year, r.month)
key-value store
primary key is id
unique key (tenant, slug)
Key Vault name: kv-prod-eu
key_version: 3
keyId: "alias/app"
key_ops: ["sign", "verify"]
kid: 2024-05-01
"kty": "RSA", "use": "sig", "alg": "RS256", "e": "AQAB"
salt: random per record
pin 7 is ground
PIN code field must be numeric
otp_length = 6
code coverage 93.4%
code block
source code at src/index.ts:10
barcode: 4006381333931
verification code expires in 10 minutes
Seed: 1234567
bearer token
Authorization: Bearer {token}
Authorization: Basic <credentials>
Cookie: <cookies>
set-cookie: (redacted)
session_timeout=1800
sid: session id as sent by the client
sig_verify failed for packet 12
signature: invalid
creds are in the vault
credential.helper=osxkeychain
credentials: 'include'
credentials: "same-origin"
auth_token: String,
authTokenExpiry: 3600,
oauth2 flow: authorization_code with PKCE
refresh_token rotation is enabled
grant_type=refresh_token
id_token_signed_response_alg: RS256
Passwort-Manager
Passwort geändert am 12.03.2026
mot de passe modifié le 12/03/2026
Cambiar contraseña
Nova senha
пароль изменён 12.03.2026
修改密码
パスワードの変更
비밀번호 변경`.split("\n");

export const heldOutAgainLookAlikes = (): LookAlike[] => LINES.map((text) => ({ kind: "held out again", text }));
