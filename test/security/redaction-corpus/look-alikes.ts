// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the references are data
import type { LookAlike } from "./case.ts";
import { Draw } from "./draw.ts";

const LINES: Record<string, string[]> = {
	code: `const token = getToken()
password: string
password?: string | undefined;
token: string;
secret: Buffer
apiKey: z.string().min(1),
const apiKey = process.env.API_KEY;
const apiKey = process.env["API_KEY"] ?? "";
const secret = config.get("jwt.secret");
const key = \`user:\${id}\`;
const cacheKey = "user:profile:v2";
sortKey: "created_at",
cache_key = f"{user}:{page}"
primary_key: user_id
foreign_key="users.id"
PRIMARY KEY (id, tenant_id)
FOREIGN KEY (user_id) REFERENCES users(id)
for (const key of Object.keys(map)) {
Object.entries(tokens).map(([key, value]) => value)
if (!token) throw new Error("missing token");
if (password.length < 8) return "Password too short";
if (password !== confirmPassword) {
validatePassword(password, user.passwordHash)
await bcrypt.compare(password, user.password)
hashed_password = hash_password(password)
def reset_password(self, token: str) -> None:
func NewToken(secret []byte) *Token {
public string Password { get; set; }
private String password;
@Column(name = "password_hash") private String passwordHash;
import { TokenService } from "./token-service.ts";
import tokenizer from "@acme/tokenizer-v2";
from django.contrib.auth.tokens import default_token_generator
use crate::auth::{AuthToken, SecretString};
export type AuthToken = Brand<string, "AuthToken">;
interface Credentials { username: string; password: string }
type Props = { token: AccessToken; secretKey: SecretKey };
const { data: token, error } = await supabase.auth.getSession();
res.cookie("session", sessionId, { httpOnly: true });
headers: { Authorization: \`Bearer \${token}\` },
headers["Authorization"] = "Bearer " + token
headers: { "X-Api-Key": apiKey },
req.headers["x-api-key"]
localStorage.getItem("authToken")
localStorage.setItem("authToken", token);
sessionStorage.removeItem("access_token")
token = request.headers.get("Authorization", "").removeprefix("Bearer ")
token=$(cat /run/secrets/token)
PASSWORD=$(openssl rand -base64 24)
export API_KEY="$(op read op://vault/item/key)"
DB_PASSWORD=\${DB_PASSWORD:?required}
DB_PASSWORD=\${DB_PASSWORD}
API_KEY=$OPENAI_API_KEY
password: {{ .Values.db.password }}
password: "{{ lookup('env', 'DB_PASSWORD') }}"
token: \${{ secrets.GITHUB_TOKEN }}
\${{ secrets.NPM_TOKEN }}
secret: !Ref DatabaseSecret
password: !vault |
secretKeyRef:
  key: password
secretName: app-tls-cert
existingSecret: postgres-credentials
imagePullSecrets: [{ name: regcred }]
secrets: inherit
permissions: { id-token: write }
aws_secret_access_key = <your secret key>
API_KEY=your-api-key
API_KEY=your_api_key_here
API_KEY=changeme
OPENAI_API_KEY=sk-...
OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx
ANTHROPIC_API_KEY=sk-ant-...
password=********
Password: ••••••••
token: <token>
token: [token]
--token <TOKEN>
--api-key YOUR_API_KEY
-H "Authorization: Bearer <token>"
-H "Authorization: Bearer $TOKEN"
curl -u "$USER:$PASS" https://example.com
curl -u user https://example.com
mysql -u root -p app
mysql -h localhost -P 3306 -u root
docker run -p 8080:80 nginx
docker run -p 127.0.0.1:5432:5432 postgres
mkdir -p src/auth/tokens
ssh -p 2222 deploy@example.com
cp -p secrets.example.yml secrets.yml
psql -h localhost -p 5432 -U app
nc -u 10.0.0.1 53
git config user.name "Jane Doe"
git commit -m "Rotate the signing key"
npm install --save-dev jsonwebtoken@9.0.2
pip install python-jose passlib bcrypt==4.1.2
go get golang.org/x/crypto/bcrypt@v0.21.0
grep -rn "password" src/ --include=*.ts
rg 'api[_-]?key' -g '!*.lock'
sed -i 's/token/secret/g' notes.md
test("rejects a wrong password", async () => {
it("returns 401 without a token", () => {
describe("tokenize", () => {
expect(screen.getByLabelText("Password")).toBeVisible();
<label for="password">Password</label>
<input type="password" name="password" placeholder="Your password" />
<input type="hidden" name="csrf_token" value="{{ csrf_token }}">
<Trans>Forgot your password?</Trans>
<key>CFBundleIdentifier</key><string>com.acme.app</string>
<div key="header-2" className="token-list">
.token.keyword { color: #07a; }
.password-input--visible:focus { outline: 2px solid #3b82f6; }
--color-token-primary: #1f2937;
max_tokens: 4096,
"max_tokens": 128000, "temperature": 0.2
prompt_tokens=1532 completion_tokens=211 total_tokens=1743
input_tokens: 84213
budget_tokens = 10_000
{"type":"token_count","count":15234}
pad_token_id: 50256
eos_token: "</s>"
[tokenizer] loaded 50257 merges
token_type: bearer
token_endpoint_auth_method: client_secret_basic
"grant_type": "client_credentials"
"scope": "read:tokens write:tokens"
author="Jane Doe"
authors = ["Jane Doe <jane@example.com>"]
Author: Jane Doe <jane@example.com>
authority: https://login.example.com/tenant
auth: { provider: "github", scopes: ["repo"] }
auth: basic
auth_method: password
authType: "oauth2"
compass: north
bypass = true
passed: 12, failed: 0
12 passed, 3 skipped (1.2s)
pass: true
passthrough: enabled
passive_mode = on
keyboard: us-intl
keywords: [redaction, tokens, secrets]
key: name
{"key":"theme","value":"dark"}
{"name":"TZ","value":"Europe/Berlin"}
- name: LOG_LEVEL\n  value: debug
monkey: banana
turkey = 12
hotkey: ctrl+shift+p
keyCode === 13
e.key === "Enter"
KeyboardEvent.key
keyframes fade { from { opacity: 0 } }
keystore.type=PKCS12
public_key: ./keys/deploy.pub
key_path = "/etc/ssl/private/server.key"
KEY_FILE=/etc/nginx/tls.key
tls_key: /etc/tls/tls.key
ssh-keygen -t ed25519 -C "me@example.com"
ssh -i ~/.ssh/id_ed25519 deploy@host
known_hosts: github.com ssh-ed25519
password_file: /run/secrets/db
POSTGRES_PASSWORD_FILE=/run/secrets/db_password
PGPASSFILE=~/.pgpass
SSH_AUTH_SOCK=/tmp/ssh-XXXX/agent.4242
GIT_ASKPASS=/usr/lib/git-core/git-gui--askpass
XDG_SESSION_ID=42
SESSION_DRIVER=redis
SESSION_COOKIE_NAME=app_session
COOKIE_SECURE=true
JWT_ALGORITHM=HS256
JWT_EXPIRES_IN=3600s
TOKEN_TTL=86400
TOKEN_EXPIRY_MINUTES=15
PASSWORD_MIN_LENGTH=12
PASSWORD_RESET_TIMEOUT=259200
SECRET_ROTATION_DAYS=30
KEY_ROTATION=enabled
SALT_ROUNDS=10
saltRounds: 12
pin: 13
pinned: true
gpio_pin = 17
const LED_PIN = 13;
"pinned_tabs": 4
signature: (a: number, b: number) => number
signal: AbortSignal
sig: "SIGTERM"
design: flat
assign: me
seed: 42
random_seed=1234
torch.manual_seed(1337)
seeds: [1, 2, 3]
salt and pepper
code: "ENOENT"
error_code=500
status_code: 404
exit code: 1
zipcode: 10115
errorCode: "AUTH_TOKEN_EXPIRED"
Cookie: theme=dark; lang=de
Set-Cookie: lang=de; Path=/; Max-Age=31536000
cookie: { maxAge: 60_000, sameSite: "lax" }
https://example.com/reset-password?step=2
https://example.com/login?redirect=/dashboard
https://example.com/search?key=price&order=asc
https://user@example.com/repo.git
http://localhost:3000/auth/callback
https://github.com/acme/app/pull/42#issuecomment-1234567890
https://cdn.example.com/assets/index-BX2kd8aQ.js
postgres://localhost:5432/app
postgres://app@db/app
postgres://user:\${PASSWORD}@db/app
mongodb://localhost:27017/test
redis://cache:6379/0
ws://127.0.0.1:9229/0f2c936f-b1cd-4ac9-aab3-f63b0f33d55e`.split("\n"),
	prose: `the token count is 4096 tokens in total
each token is about four characters
The tokenizer splits the text into 1,024 tokens.
You need a password with at least 8 characters and one number.
The password must be longer than 12 characters.
the password is wrong
the password is required
The password is stored hashed with bcrypt (cost 12).
Password reset emails are sent within 5 minutes.
Please enter your password to continue.
Forgot password? Click here.
The secret is out: we ship on Friday.
the secret to a good soup is patience
The secret of getting ahead is getting started.
The key is to start small.
The key is under the mat
The key point is that it works.
the key was pressed twice
press any key to continue
key takeaways from the meeting
The API key is read from the environment variable OPENAI_API_KEY.
The API key is missing or invalid.
the api key should be kept secret
Your access token has expired; please log in again.
the access token is sent in the Authorization header
use a bearer token for authentication
bearer of bad news
the bearer of this letter may pass
Basic authentication is deprecated in v3.
basic understanding of OAuth2
We passed the tests on node20 and bun1.4.
the pass rate is 97.5%
a passing grade
passport number on file
The passenger list is complete.
PIN: see docs
pin the version to 1.4.5
pin the dependency to v2.3.1
the pin is on GPIO17
code review is done, see PR-1234
the error code is E1234
The code is 4 lines shorter now.
exit code 137 means it was killed
the session is over
session 42 ended after 3h20m
The session id is printed in the first line.
cookies are baked at 180 degrees
The cookie banner is shown twice.
seed the database with 20 users
salt the pasta water
The salt is random per user.
He is an authority on tokens.
auth is handled by middleware2.ts
authored by Jane in 2024
credentials are kept in the keychain
rotate the credentials every 90 days
Set the DB_PASSWORD variable before you start.
export DB_PASSWORD before running make db2
set PASSWORD in .env.local
The password policy: 12+ characters, 1 digit.
password hashing: sha256 is not enough, use argon2id
Passwort vergessen?
Das Passwort ist falsch.
Das Passwort muss mindestens 8 Zeichen haben.
Passwort: siehe 1Password
Der Schlüssel liegt unter der Matte.
Le mot de passe est obligatoire.
mot de passe oublié ?
La contraseña es obligatoria.
La contraseña debe tener al menos 8 caracteres
La clave es la paciencia
A senha é obrigatória
la password è sbagliata
Het wachtwoord is onjuist
Hasło jest wymagane
Пароль обязателен
Пароль должен содержать не менее 8 символов
Забыли пароль?
密码不能为空
密码长度至少为8位
请输入密码
パスワードを入力してください
パスワードは8文字以上で入力してください
비밀번호를 입력하세요
비밀번호는 8자 이상이어야 합니다
كلمة المرور مطلوبة
"password": "Passwort"
"password": "Mot de passe"
"password": "Contraseña"
"forgot_password": "Forgot your password?"
"login.password.placeholder": "Enter your password"
"invalid_token": "The link has expired"
"secret": "Geheimnis"
"api_key": "API-Schlüssel"
"passwordMismatch": "Passwords do not match"
password = "Şifre"
msgid "Password"
ISBN 978-3-16-148410-0
phone: +49 30 901820, ask for Jane
tel:+1-555-0123
call me at 030 1234567
meeting code: see the invite
room key card desk 3
order number 4711-0815
license: MIT
License: Apache-2.0
licence plate B-XY 1234
SPDX-License-Identifier: GPL-3.0-or-later
recovery codes are shown once after you enable 2FA
backup codes: keep them safe
seed phrase: never share it with anyone
Write the mnemonic down on paper.
two-factor authentication is required
otp expires in 30 seconds
hash: see below
version 1.2.3-beta.4+build.567
node v24.1.0, npm 11.3.0
at 2026-01-31T10:20:30.456Z
commit message: fix token refresh (#1234)
fix(auth): refresh token before it expires (#812)
chore: bump jsonwebtoken from 8.5.1 to 9.0.2
feat: password strength meter
Merge pull request #12 from acme/rotate-keys
Login with SSO or password
user: jane / role: admin
username: jane.doe
login: jane
login as root on host2
What is the password policy for admin2 accounts?
Ask Bob for the password.
password for user42 was reset
the token for user42 is revoked
password protected pdf
The private key is generated on the device.
private key: stays on the YubiKey
The public key is in docs/keys.asc.
add the public key to authorized_keys2`.split("\n"),
};

export function lookAlikes(seed: number): LookAlike[] {
	const d = new Draw(seed);
	const made: [string, () => string][] = [
		["git hash", () => `commit ${d.hex(40)}\nAuthor: Jane Doe <jane@example.com>`],
		["short hashes", () => `${d.hex(7)} Fix the token refresh\n${d.hex(7)} Rotate keys`],
		["git index", () => `index ${d.hex(10)}..${d.hex(10)} 100644`],
		["uuid", () => `request id ${d.uuid()} took 12 ms`],
		["uuid field", () => `{"id":"${d.uuid()}","parent_id":"${d.uuid()}"}`],
		["integrity", () => `"integrity": "sha512-${d.base64(86)}=="`],
		["lock file", () => `  resolved "https://registry.example.com/a/-/a-1.0.0.tgz#${d.hex(40)}"`],
		["docker digest", () => `FROM node:22@sha256:${d.hex(64)}`],
		["checksum", () => `${d.hex(64)}  release-1.2.3.tar.gz`],
		["picture", () => `data:image/png;base64,iVBORw0KGgo${d.base64(200)}`],
		["font", () => `src: url(data:font/woff2;base64,d09GMgABAAAAA${d.base64(160)})`],
		["source map", () => `//# sourceMappingURL=index-${d.base62(8)}.js.map`],
		["css modules", () => `<div class="styles_card__${d.base62(5)} btn_${d.base62(5)}">`],
		["ulid", () => `id: 01${d.from("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24)}`],
		["tool id", () => `{"type":"tool_use","id":"toolu_01${d.base62(22)}","name":"Bash"}`],
		["message id", () => `"id":"msg_01${d.base62(22)}","role":"assistant"`],
		["request id", () => `request-id: req_011${d.base62(21)}`],
		["public key", () => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${d.base64(43)} me@host`],
		["public rsa", () => `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC${d.base64(300)} me@host`],
		[
			"certificate",
			() =>
				`-----BEGIN CERTIFICATE-----\nMIID${d.base64(60)}\n${d.base64(64)}\n${d.base64(20)}\n-----END CERTIFICATE-----`,
		],
		[
			"public pem",
			() => `-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A${d.base64(32)}\n-----END PUBLIC KEY-----`,
		],
		["fingerprint", () => `SHA256:${d.base64(43)} me@host (ED25519)`],
		[
			"gpg fingerprint",
			() => `Key fingerprint = ${Array.from({ length: 10 }, () => d.upper(4).replace(/[G-Z]/g, "A")).join(" ")}`,
		],
		["etag", () => `ETag: W/"${d.hex(32)}"`],
		["trace", () => `traceparent: 00-${d.hex(32)}-${d.hex(16)}-01`],
		["colours", () => `--accent: #${d.hex(6)}; --bg: #${d.hex(8)};`],
		["mac address", () => `link/ether ${Array.from({ length: 6 }, () => d.hex(2)).join(":")}`],
		["ipv6", () => `inet6 fe80::${d.hex(4)}:${d.hex(4)}:${d.hex(4)}:${d.hex(4)}/64`],
		["big number", () => `total: ${d.digits(16)} bytes`],
		["timestamps", () => `created_at=${d.digits(10)} updated_at=${d.digits(13)}`],
		["file name", () => `dist/assets/chunk-${d.base62(8)}.js  12.34 kB`],
		["temp path", () => `/tmp/tmp.${d.base62(10)}/build/output.log`],
		["nix path", () => `/nix/store/${d.lower36(32)}-bash-5.2`],
		["test id", () => `data-testid="user-${d.digits(4)}-row"`],
		["minified", () => `function ${d.base62(2)}(e,t){return e.key===t.key&&e.token!==null}var n=${d.digits(4)};`],
		["jwt half", () => `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 is the header of every such token`],
		["cache key", () => `cache-key: node-modules-${d.hex(32)}`],
		["cache key 2", () => `cache_key=${d.hex(64)}`],
		["etag key", () => `Key: builds/${d.hex(8)}/index.html`],
		["objectid", () => `_id: ObjectId("${d.hex(24)}")`],
		["public key field", () => `public_key: ${d.base64(43)}=`],
		["publishable", () => `publishable id pk_${d.digits(4)}`],
		["go sum", () => `golang.org/x/crypto v0.21.0 h1:${d.base64(43)}=`],
		["cargo lock", () => `checksum = "${d.hex(64)}"`],
		["pip hash", () => `    --hash=sha256:${d.hex(64)}`],
		["commit trailers", () => `Change-Id: I${d.hex(40)}`],
		["session path", () => `~/.claude/projects/-home-me-app/${d.uuid()}.jsonl`],
		["sourcegraph link", () => `https://github.com/acme/app/blob/${d.hex(40)}/src/auth/token.ts#L12-L40`],
		["hex dump", () => `00000010: ${Array.from({ length: 8 }, () => d.hex(4)).join(" ")}  ................`],
		["svg path", () => `<path d="M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2z"/>`],
		["base64 words", () => `greeting: ${Buffer.from("hello world, this is a plain sentence").toString("base64")}`],
		["stack", () => `at TokenService.refresh (/app/src/auth/token.service.ts:${d.digits(2)}:15)`],
		["next page", () => `nextPageToken: "${d.base62(12)}"`],
		["idempotency", () => `Idempotency-Key: ${d.uuid()}`],
		["build id", () => `build-id: ${d.hex(20)}`],
	];
	const drawn = made.flatMap(([kind, make]) => [make(), make()].map((text): LookAlike => ({ kind, text })));
	const lines = Object.entries(LINES).flatMap(([kind, list]) =>
		list.map((text): LookAlike => ({ kind, text: text.replaceAll("\\n", "\n") })),
	);
	return [...lines, ...drawn];
}
