// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the references are data
import type { LookAlike, SecretCase } from "./case.ts";
import { Draw } from "./draw.ts";

/**
 * Written after the rules were done, with other providers, programs, languages and wording, and measured before any rule was
 * changed for it (the first figure stands in the bench's README). A part that is tuned for later is no held-out part any more.
 */
type Form = [kind: string, value: (d: Draw) => string, text: (value: string, d: Draw) => string];

const j = (...parts: string[]): string => parts.join("");
const pw = (d: Draw): string =>
	d.one([() => d.password(), () => d.leet(), () => `${d.base62(6)}!${d.base62(5)}`, () => d.base62(14)])();
const k32 = (d: Draw): string => d.base62(32);

const FORMS: Form[] = [
	["shodan", (d) => d.base62(32), (v) => `shodan init ${v}\nSHODAN_API_KEY=${v}`],
	["buildkite", (d) => j("bk", "ua_", d.hex(40)), (v) => `the agent uses ${v} for now`],
	["pagerduty", (d) => j("u+", d.base62(18)), (v) => `pagerduty_token: "${v}"`],
	["snyk", (d) => d.uuid(), (v) => `SNYK_TOKEN=${v} snyk test`],
	["mapbox", (d) => j("sk", ".eyJ1Ijoi", d.base62(50), ".", d.base62(22)), (v) => `mapboxgl.accessToken = '${v}';`],
	["deno deploy", (d) => j("dd", "p_", d.base62(36)), (v) => `deployctl deploy --token=${v}`],
	["gitea", (d) => d.hex(40), (v) => `git clone https://me:${v}@gitea.example.org/me/x.git`],
	["codecov", (d) => d.uuid(), (v) => `codecov -t ${v}\nCODECOV_TOKEN: ${v}`],
	["infracost", (d) => j("ic", "o-", d.base62(32)), (v) => `infracost configure set api_key ${v}`],
	["mailjet", (d) => d.hex(32), (v) => `MJ_APIKEY_PRIVATE="${v}"`],
	["twitch", (d) => d.lower36(30), (v) => `twitch: { clientId: 'abc', clientSecret: '${v}' }`],
	["spotify", (d) => d.hex(32), (v) => `spotify_client_secret = ${v}`],
	["paystack", (d) => j("sk", "_live_", d.hex(40)), (v) => `Paystack.init("${v}")`],
	["lob", (d) => j("live", "_", d.hex(35)), (v) => `Lob.api_key = '${v}'`],
	["duffel", (d) => j("duf", "fel_live_", d.url64(43)), (v) => `header "Authorization: Bearer ${v}"`],
	["ngrok", (d) => j(d.base62(27), "_", d.base62(21)), (v) => `ngrok config add-authtoken ${v}`],
	["zoom", (d) => d.base62(32), (v) => `zoom:\n  account: x\n  client_secret: ${v}`],
	["clerk", (d) => j("sk", "_test_", d.base62(42)), (v) => `CLERK_SECRET_KEY=${v}`],
	["upstash", (d) => d.base64(60), (v) => `UPSTASH_REDIS_REST_TOKEN="${v}"`],
	[
		"turso",
		(d) => j("ey", "JhbGciOiJFZERTQSJ9.", "ey", d.url64(80), ".", d.url64(86)),
		(v) => `libsql://db.turso.io?authToken=${v}`,
	],
	["cohere", (d) => d.base62(40), (v) => `co = cohere.Client("${v}")  # api key\nCOHERE_API_KEY="${v}"`],
	["mistral", (d) => d.base62(32), (v) => `export MISTRAL_API_KEY='${v}'`],
	["together", (d) => d.hex(64), (v) => `together_api_key: ${v}`],
	["voyage", (d) => j("p", "a-", d.url64(43)), (v) => `voyageai.Client(api_key="${v}")`],
	["wandb", (d) => d.hex(40), (v) => `wandb login ${v}\nWANDB_API_KEY=${v}`],
	["kaggle", (d) => d.hex(32), (v) => `{"username":"me","key":"${v}"}`],
	["scaleway", (d) => d.uuid(), (v) => `SCW_SECRET_KEY=${v}`],
	["hetzner", (d) => d.base62(64), (v) => `hcloud_token = "${v}"`],
	["linode", (d) => d.hex(64), (v) => `linode-cli configure --token ${v}`],
	["vultr", (d) => d.upper(36), (v) => `VULTR_API_KEY=${v}`],
	["ovh", (d) => d.base62(32), (v) => `OVH_APPLICATION_SECRET=${v}`],
	["cloudsmith", (d) => d.hex(40), (v) => `cloudsmith push --api-key ${v} x.deb`],
	[
		"azure sp",
		(d) => j(d.base62(3), "8", "Q~", d.url64(34)),
		(v) => `az login --service-principal -u app -p ${v} --tenant t`,
	],
	[
		"azure cosmos",
		(d) => `${d.base64(86)}==`,
		(v) => `AccountEndpoint=https://x.documents.azure.com:443/;AccountKey=${v};`,
	],
	[
		"service bus",
		(d) => `${d.base64(43)}=`,
		(v) => `Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${v}`,
	],
	["gcp code", (d) => j("4/", "0A", d.url64(60)), (v) => `https://x.example/cb?state=1&code=${v}&scope=email`],
	["aws session", (d) => d.base64(200), (v) => `aws_session_token = ${v}`],
	[
		"aws csv",
		(d) => d.base64(40),
		(v, d) => `User name,Access key ID,Secret access key\nci,${j("AK", "IA")}${d.upper(16)},${v}`,
	],
	["ansible", pw, (v) => `[web]\n10.0.0.4 ansible_user=ops ansible_password=${v}`],
	["ansible become", pw, (v) => `ansible_become_pass: "${v}"`],
	["vagrant", pw, (v) => `config.ssh.password = "${v}"`],
	["packer", pw, (v) => `winrm_password = "${v}"`],
	["rails", (d) => d.hex(128), (v) => `production:\n  secret_key_base: ${v}`],
	["rails master", (d) => d.hex(32), (v) => `RAILS_MASTER_KEY=${v} bin/rails s`],
	["django", (d) => `django-insecure-${d.base62(40)}`, (v) => `SECRET_KEY = '${v}'`],
	["laravel", (d) => `base64:${d.base64(43)}=`, (v) => `APP_KEY=${v}`],
	["symfony", (d) => d.hex(32), (v) => `APP_SECRET=${v}`],
	["spring yaml", pw, (v) => `spring:\n  datasource:\n    username: sa\n    password: "${v}"`],
	["quarkus", pw, (v) => `quarkus.datasource.password=${v}`],
	["hibernate", pw, (v) => `<property name="hibernate.connection.password">${v}</property>`],
	["tomcat", pw, (v) => `<user username="admin" password="${v}" roles="manager-gui"/>`],
	["jenkins", (d) => d.hex(34), (v) => `curl -X POST -u admin:${v} http://jenkins/job/x/build`],
	["nexus", pw, (v) => `curl -u 'deploy:${v}' --upload-file a.jar http://nexus/repo/`],
	["artifactory", (d) => j("AK", "Cp", d.base62(70)), (v) => `curl -H "X-JFrog-Art-Api: ${v}" https://x`],
	["sonarqube", (d) => j("sq", "u_", d.hex(40)), (v) => `sonar-scanner -Dsonar.login=${v}`],
	["grafana ini", pw, (v) => `[security]\nadmin_user = admin\nadmin_password = ${v}`],
	["influx", (d) => `${d.base64(86)}==`, (v) => `influx config create --token ${v} --org x`],
	["elastic", pw, (v) => `elasticsearch.password: ${v}`],
	["kibana key", k32, (v) => `xpack.security.encryptionKey: "${v}"`],
	["rabbit", pw, (v) => `rabbitmqctl add_user app ${v}\nRABBITMQ_DEFAULT_PASS=${v}`],
	[
		"kafka",
		pw,
		(v) =>
			`sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="app" password="${v}";`,
	],
	["ssl keystore", pw, (v) => `ssl.keystore.password=${v}\nssl.key.password=${v}`],
	["clickhouse", pw, (v) => `clickhouse-client --user default --password ${v} -q "SELECT 1"`],
	["psql env", pw, (v) => `PGPASSWORD='${v}' psql -h db -U app -c '\\dt'`],
	["psql keyword", pw, (v) => `psql "host=db user=app password=${v} dbname=app"`],
	["oracle", pw, (v) => `spring.datasource.hikari.password=${v}`],
	["sqlcmd", pw, (v) => `sqlcmd -S sql1 -U sa -P '${v}' -Q "select 1"`],
	["mongo", (d) => d.base62(16), (v) => `mongosh "mongodb://root:${v}@m1:27017,m2:27017/?replicaSet=rs0"`],
	["ftp", (d) => d.leet(), (v) => `lftp -u backup,${v} ftp.example.com`],
	["rsync", pw, (v) => `RSYNC_PASSWORD=${v} rsync -a x rsync://h/m`],
	["smb", pw, (v) => `mount -t cifs //nas/x /mnt -o username=me,password=${v}`],
	["openvpn", pw, (v) => `printf '%s\\n%s\\n' me '${v}' > auth.txt  # vpn password is ${v}`],
	["gpg", pw, (v) => `gpg --batch --passphrase '${v}' -d x.gpg`],
	["borg", pw, (v) => `BORG_PASSPHRASE='${v}' borg create ::x /home`],
	["restic", pw, (v) => `RESTIC_PASSWORD=${v} restic snapshots`],
	["luks", pw, (v) => `echo -n '${v}' | cryptsetup open /dev/sdb1 x -`],
	["samba", pw, (v) => `(echo ${v}; echo ${v}) | smbpasswd -s -a me  # password ${v}`],
	["useradd", pw, (v) => `net user svc ${v} /add  # pwd: ${v}`],
	["powershell", pw, (v) => `New-LocalUser -Name svc -Password (ConvertTo-SecureString '${v}' -AsPlainText -Force)`],
	["cmd setx", k32, (v) => `setx OPENAI_API_KEY "${v}"`],
	["docker secret", pw, (v) => `docker run -e POSTGRES_PASSWORD=${v} -d postgres:16`],
	["docker compose list", pw, (v) => `environment:\n  - "MINIO_ROOT_PASSWORD=${v}"`],
	["helm values", pw, (v) => `auth:\n  rootPassword: ${v}\n  database: app`],
	["kustomize", pw, (v) => `secretGenerator:\n- name: db\n  literals:\n  - password=${v}`],
	["gh secret", k32, (v) => `gh secret set NPM_TOKEN --body "${v}"`],
	["vault kv", pw, (v) => `vault kv put secret/app db_pass=${v}`],
	["aws ssm", pw, (v) => `aws ssm put-parameter --name /app/db --type SecureString --value '${v}'`],
	["aws sm", pw, (v) => `aws secretsmanager create-secret --name db --secret-string '{"password":"${v}"}'`],
	["wrangler", k32, (v) => `echo "${v}" | wrangler secret put API_KEY`],
	["terraform var", pw, (v) => `terraform apply -var="db_password=${v}"`],
	["python kw", pw, (v) => `conn = psycopg2.connect(host="db", user="app", password='${v}')`],
	["python pos", pw, (v) => `client.login("me@example.com", password="${v}")`],
	["node config", pw, (v) => `createTransport({ auth: { user: "me", pass: "${v}" } })`],
	["node or", k32, (v) => `const secret = process.env.JWT_SECRET || "${v}";`],
	["go struct", k32, (v) => `cfg := Config{APIKey: "${v}", Debug: true}`],
	["rust", k32, (v) => `let client_secret = String::from("${v}");`],
	["csharp", k32, (v) => `services.AddStripe(o => o.ApiKey = "${v}");`],
	["php env", pw, (v) => `putenv('DB_PASSWORD=${v}');`],
	["scala", pw, (v) => `db.default.password = "${v}"`],
	["lua", k32, (v) => `local api_key = "${v}"`],
	["dart", k32, (v) => `static const String apiSecret = '${v}';`],
	["r", k32, (v) => `Sys.setenv(QUANDL_API_KEY = "${v}")`],
	["perl", pw, (v) => `my $dbpass = '${v}';`],
	["vb", pw, (v) => `Dim strPassword As String = "${v}"`],
	["postman", k32, (v) => `{"key":"apikey","value":"${v}","type":"string"}`],
	["insomnia", pw, (v) => `"authentication":{"type":"basic","username":"a","password":"${v}"}`],
	["har", k32, (v) => `{"name":"x-api-key","value":"${v}"}`],
	["har cookie", k32, (v) => `{"name":"Cookie","value":"sid=${v}; a=b"}`],
	["log query", k32, (v) => `10.0.0.1 - - [01/Feb/2026] "GET /v1/x?api_key=${v} HTTP/1.1" 200 12`],
	["log dump", pw, (v) => `DEBUG connecting with {user=app, password=${v}, host=db}`],
	["log ruby", pw, (v) => `Parameters: {"user"=>"me", "password"=>"${v}"}`],
	["traceback", pw, (v) => `OperationalError: connection to "postgresql://app:${v}@db/app" failed`],
	["form", pw, (v) => `grant_type=password&username=me&password=${encodeURIComponent(v)}`],
	["multipart", pw, (v) => `Content-Disposition: form-data; name="password"\r\n\r\n${v}\r\n--x`],
	["graphql", pw, (v) => `mutation { login(email: "a@example.com", password: "${v}") { token } }`],
	["soap", pw, (v) => `<wsse:Password Type="PasswordText">${v}</wsse:Password>`],
	["xml enc", pw, (v) => `&lt;password&gt;${v}&lt;/password&gt;`],
	["csv", pw, (v) => `user,password\nadmin,${v}`],
	["prose en 1", pw, (v) => `btw the root pw on that box is still ${v}`],
	["prose en 2", pw, (v) => `Credentials: admin / ${v}`],
	["prose en 3", pw, (v) => `you can sign in with jane@example.com and ${v} as the password`],
	["prose en 4", pw, (v) => `We set the password to ${v} last week`],
	["prose en 5", (d) => d.base62(24), (v) => `Use this key instead: ${v}`],
	["prose en 6", pw, (v) => `Username: root\nPass: ${v}`],
	["prose en 7", pw, (v) => `passphrase → ${v}`],
	["prose en 8", (d) => d.digits(6), (v) => `the door code is 12 and the alarm PIN is ${v}`],
	["prose en 9", pw, (v) => `password=“${v}”`],
	["prose en 10", pw, (v) => `The new password will be ${v} from Monday.`],
	["danish", pw, (v) => `Adgangskoden er ${v}`],
	["norwegian", pw, (v) => `Passordet er ${v}`],
	["finnish", pw, (v) => `Salasana on ${v}`],
	["czech", pw, (v) => `Heslo je ${v}`],
	["hungarian", pw, (v) => `A jelszó: ${v}`],
	["romanian", pw, (v) => `Parola este ${v}`],
	["greek", pw, (v) => `Ο κωδικός είναι ${v}`],
	["hebrew", pw, (v) => `הסיסמה היא ${v}`],
	["thai", pw, (v) => `รหัสผ่านคือ ${v}`],
	["indonesian", pw, (v) => `Kata sandi: ${v}`],
	["german 2", pw, (v) => `Zugangsdaten: admin / Passwort: ${v}`],
	["french 2", pw, (v) => `voici le mot de passe de la base : ${v}`],
	["spanish 2", pw, (v) => `Usuario: root, contraseña: ${v}`],
	["portuguese 2", pw, (v) => `use a senha ${v} para entrar`],
	["italian 2", pw, (v) => `La password del server è: ${v}`],
	["japanese 2", pw, (v) => `DBのパスワードを${v}に変更しました`],
	["korean 2", pw, (v) => `관리자 비밀번호를 ${v}로 바꿨어요`],
	["chinese 2", pw, (v) => `管理员密码改成了 ${v}`],
	["russian 2", pw, (v) => `новый пароль для админа: ${v}`],
	["base64 of netrc", pw, (v) => Buffer.from(`machine a.example.com login me password ${v}\n`).toString("base64")],
	["hex of assignment", pw, (v) => Buffer.from(`db_password=${v}; user=app`).toString("hex")],
	["double encoded", pw, (v) => encodeURIComponent(encodeURIComponent(JSON.stringify({ password: v })))],
	["unicode escapes", pw, (v) => `{"q":"password\\u003d${v}\\u0026x=1"}`],
	["terminal", pw, (v) => `\u001b[1mPassword:\u001b[22m \u001b[31m${v}\u001b[39m`],
	["grep output", pw, (v) => `config/prod.yml:14:  password: ${v}`],
	["cat -A", pw, (v) => `DB_PASSWORD=${v}$\nDB_HOST=db$`],
	["git log -p", pw, (v) => `-    "password": "${v}",\n+    "password": env("DB_PASSWORD"),`],
	["yaml anchor", pw, (v) => `default: &db\n  password: &pw '${v}'`],
	["yaml folded", (d) => d.base62(40), (v) => `api_token: >-\n    ${v}\nname: x`],
	["toml inline", pw, (v) => `db = { user = "a", password = "${v}" }`],
	["ini spaces", pw, (v) => `Password   =   ${v}`],
	["nix", k32, (v) => `services.x.secretKey = "${v}";`],
	["hcl env", k32, (v) => `env = { API_TOKEN = "${v}" }`],
	["make", k32, (v) => `TOKEN ?= ${v}`],
	["wireguard psk", (d) => `${d.base64(43)}=`, (v) => `PresharedKey = ${v}`],
	["ssh config", pw, (v) => `expect "assword:"\nsend "${v}\\r"`],
	[
		"solana",
		(d) => Array.from({ length: 64 }, () => String(d.below(256))).join(","),
		(v) => `solana keypair id.json: [${v}]`,
	],
	[
		"mnemonic numbered",
		() =>
			"1. apple 2. banjo 3. cradle 4. donkey 5. ember 6. fossil 7. garden 8. hollow 9. island 10. jacket 11. kitten 12. lumber",
		(v) => `mnemonic:\n${v}`,
	],
	["backup codes", (d) => d.digits(8), (v, d) => `Your backup codes are: ${d.digits(8)}, ${v}, ${d.digits(8)}`],
	["bcrypt list", (d) => `$2y$10$${d.base62(53)}`, (v) => `deploy:${v}\nother:x`],
	[
		"apple p8",
		(d) => `${d.base64(64)}\n${d.base64(64)}\n${d.base64(20)}`,
		(v) =>
			`AuthKey_X.p8:\n${["-----BEGIN", "PRIVATE", "KEY-----"].join(" ")}\n${v}\n${["-----END", "PRIVATE", "KEY-----"].join(" ")}`,
	],
];

export function heldOutCases(seed: number): SecretCase[] {
	const d = new Draw(seed);
	return FORMS.map(([kind, make, put]) => {
		const value = make(d);
		const text = put(value, d);
		if (kind.startsWith("base64 of")) return { kind, text, secrets: [text.slice(-24, -6)] };
		if (kind.startsWith("hex of")) return { kind, text, secrets: [Buffer.from(value).toString("hex")] };
		return { kind, text, secrets: [kind === "double encoded" ? encodeURIComponent(encodeURIComponent(value)) : value] };
	});
}

const LINES = `export const PASSWORD_PATTERN = /^(?=.*[A-Z]).{8,}$/;
const { password, ...rest } = user;
const password = await prompt("Password: ");
password = input("Password: ")
password = getpass.getpass("DB password: ")
read -s -p "Password: " PASSWORD
passwordInput.value = "";
user.password = hash(password)
expect(user).not.toHaveProperty("password");
assert "password" not in response.json()
@Input() password!: string;
password VARCHAR(255) NOT NULL,
ALTER TABLE users ADD COLUMN password_hash text;
SELECT id, password_hash FROM users WHERE token = $1
CREATE INDEX idx_tokens_user ON tokens (user_id);
GRANT SELECT ON secrets TO app;
token := strings.TrimPrefix(header, "Bearer ")
token, err := jwt.Parse(raw, keyFunc)
let token = lexer.next_token()?;
match token.kind { TokenKind::Ident => {} }
Token(type=NUMBER, value=42, line=3)
tokens = tokenizer.encode(text, add_special_tokens=False)
usage: 1523 input tokens, 812 output tokens
context window: 200000 tokens
rate limit: 40000 tokens per minute
"cache_read_input_tokens": 48211,
secretsmanager:GetSecretValue
arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf
valueFrom: { secretKeyRef: { name: db, key: password } }
env: { API_KEY: { from_secret: api_key } }
with: { token: "\${{ secrets.GITHUB_TOKEN }}" }
password: \${env:DB_PASSWORD}
password: !secret mqtt_password
api_key = var.api_key
api_key = data.vault_generic_secret.app.data["api_key"]
secret_key = ENV.fetch("SECRET_KEY_BASE")
apiKey: import.meta.env.VITE_API_KEY,
apiKey: Deno.env.get("API_KEY")!,
token: core.getInput("token", { required: true }),
private final TokenRepository tokenRepository;
public SecretKeySpec secretKey() {
KeyPairGenerator.getInstance("RSA")
Cipher.getInstance("AES/GCM/NoPadding")
crypto.createHmac("sha256", secret).update(body).digest("hex")
jwt.sign(payload, secret, { expiresIn: "1h" })
passport.use(new LocalStrategy(verify));
router.get("/reset-password/:token", handler);
<Route path="/forgot-password" element={<ForgotPassword />} />
<PasswordField name="password" autoComplete="current-password" />
<meta name="csrf-token" content="">
data-key="row-17"
aria-keyshortcuts="Control+K"
map.set("key", value);
Object.keys(props).forEach((key) => {})
dict(key="value", other="thing")
sorted(items, key=lambda x: x.name)
{"key": "Accept-Language", "value": "de-DE"}
{"name":"content-type","value":"application/json"}
partition_key = "tenant#42"
range_key: created_at
storage key: draft-2026-02
i18n key "errors.password.too_short" is missing
press Ctrl+C or the q key to quit
the key difference between v1 and v2
keyof typeof STATUS
keystroke latency 12ms
monkeypatch.setenv("HOME", str(tmp_path))
turnkey solution
passes = 3
passed=12 failed=0 skipped=1
PASS src/auth/token.test.ts (5.12 s)
--- PASS: TestToken (0.00s)
pass-through proxy on port 8080
pass the value by reference
encompass all tokens
compassionate
surpass 100 users
bypass_cache=true
passenger_count: 3
password manager: use one
Wrong password, 2 attempts left
Bad credentials
invalid_client: client authentication failed
401 Unauthorized: token expired at 2026-01-01T00:00:00Z
Error: secret "db-credentials" not found in namespace "prod"
error: the token 'else' was unexpected
SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON
unexpected token: identifier at line 12
Permission denied (publickey,password).
Enter passphrase for key '/home/me/.ssh/id_ed25519':
Password for user postgres:
Your identification has been saved in id_ed25519
The key's randomart image is:
ssh-add -l lists 2 keys
Host key verification failed.
gpg: key 3AA5C34371567BD2: public key "Jane Doe" imported
Primary key fingerprint: 1234 5678 9ABC DEF0 1234  5678 9ABC DEF0 1234 5678
sec   rsa4096/3AA5C34371567BD2 2024-03-10 [SC]
npm notice integrity: sha512-abc[...]xyz==
npm ERR! code E401
docker pull ghcr.io/acme/app:sha-3f2a91c
image: registry.example.com/app:v1.2.3-rc.4
x-request-id: 7f3e9a10-22bb-4c1f-9a5e-0d9f8a7b6c5d
cf-ray: 8a1b2c3d4e5f6a7b-FRA
etag "5d8c72a5edda8d6a5d8c72a5edda8d6a"
content-md5: Q2hlY2sgSW50ZWdyaXR5IQ==
last-modified: Tue, 03 Feb 2026 10:00:00 GMT
session started at 10:12, ended at 11:40
session: { store: "redis", ttl: 3600 }
The session cookie is httpOnly.
author_id: 42
authority: self-signed
Author-Email: jane@example.com
authn/authz are separate
auth: none
Authorization: none
Authorization header is missing
authorization_endpoint: https://id.example.com/authorize
bearer_format: JWT
scheme: bearer
signature mismatch
def signature(self, request: Request) -> str:
signing in with a passkey
assigned to jane
consign the rest
design tokens: spacing-4, color-blue-500
insignificant
pinpoint the bug
opinion: use tabs
shipping code to DE
country code +49
promo code SUMMER2026
zip code 94105
http status code 418
Visual Studio Code 1.96
code: 'P2002'
seed data lives in prisma/seed.ts
seeded with 100 rows
salted caramel
basalt rock
Das Passwort steht im Tresor.
Passwort zurücksetzen
Neues Passwort (mind. 12 Zeichen)
Mot de passe : 12 caractères minimum
La contraseña es incorrecta
contraseña: mínimo 8 caracteres
Mínimo de 8 caracteres para a senha
パスワードを忘れた場合
パスワード（8文字以上）
密码错误，请重试
密码: 至少12位
비밀번호를 잊으셨나요?
Пароль неверный
пароль: минимум 8 символов
Введите пароль от почты`.split("\n");

export function heldOutLookAlikes(seed: number): LookAlike[] {
	const d = new Draw(seed);
	const drawn = [
		`yarn.lock: "@babel/core@npm:^7.24.0" checksum: ${d.hex(128)}`,
		`pnpm: resolution: {integrity: sha512-${d.base64(86)}==}`,
		`go: github.com/a/b v0.0.0-20240102030405-${d.hex(12)}`,
		`poetry: {file = "x.whl", hash = "sha256:${d.hex(64)}"}`,
		`flake: narHash = "sha256-${d.base64(43)}=";`,
		`merge ${d.hex(7)} ${d.hex(7)}`,
		`tree ${d.hex(40)}\nparent ${d.hex(40)}`,
		`Signed-off-by: Jane Doe <jane@example.com>`,
		`blob:https://x.example/${d.uuid()}`,
		`s3://bucket/path/${d.uuid()}/file.parquet`,
		`trace_id=${d.hex(32)} span_id=${d.hex(16)}`,
		`sessionId ${d.uuid()} resumed`,
		`{"sessionId":"${d.uuid()}","uuid":"${d.uuid()}"}`,
		`"parentUuid":"${d.uuid()}","isSidechain":false`,
		`<script integrity="sha384-${d.base64(64)}" crossorigin="anonymous">`,
		`Content-Security-Policy: script-src 'sha256-${d.base64(43)}='`,
		`background: url("data:image/svg+xml;base64,PHN2ZyB4bWxucz0i${d.base64(80)}")`,
		`assets/logo-${d.base62(8)}.svg 4.2 kB`,
		`"mappings":"AAAA,SAASA,IAAI;AACX,OAAO,CAACC,GAAG,${d.base64(30)}"`,
		`uid=1000(me) gid=1000(me) pid=${d.digits(5)}`,
		`0x${d.hex(8)} 0x${d.hex(8)}`,
		`address 0x${d.hex(40)}`,
		`tx hash 0x${d.hex(64)} was mined`,
		`ssh-rsa AAAAB3NzaC1yc2E${d.base64(200)}== ci@host`,
		`ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY${d.base64(80)}= x`,
		`-----BEGIN CERTIFICATE REQUEST-----\n${d.base64(64)}\n-----END CERTIFICATE REQUEST-----`,
		`certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t${d.base64(60)}`,
		`ClusterId: lkc-${d.lower36(6)}`,
		`instance i-0${d.hex(16)} in vpc-0${d.hex(16)}`,
		`price_${d.base62(24)} and cus_${d.base62(14)}`,
	];
	return [...LINES, ...drawn].map((text) => ({ kind: "held out", text }));
}
