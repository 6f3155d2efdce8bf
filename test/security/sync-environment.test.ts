import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSql } from "../../src/sync/postgres.ts";
import { gitIn } from "../kit/git.ts";
import { postgresServer } from "../kit/postgres.ts";
import { run } from "../kit/sandbox.ts";
import { joins, twoHomes } from "../kit/sync-commands.ts";
import { canRun } from "../kit/with-programs.ts";

/** Names by which an environment leads git, ssh, TLS, PostgreSQL or a runtime elsewhere. `PROGRAM` leaves a trace. */
const HOSTILE = (at: string): Record<string, string> => {
	const program = join(at, "program");
	writeFileSync(program, `#!/bin/sh\necho "$0 $*" >>'${join(at, "trace")}'\nexit 1\n`, { mode: 0o755 });
	const config = join(at, "config");
	writeFileSync(
		config,
		`[core]\n\tsshCommand = ${program}\n\tfsmonitor = ${program}\n\thooksPath = ${at}\n[credential]\n\thelper = ${program}\n[http]\n\tproxy = http://127.0.0.1:1\n\tsslVerify = false\n[uploadpack]\n\tpackObjectsHook = ${program}\n`,
	);
	const named = (names: string, value: string) => Object.fromEntries(names.split(" ").map((name) => [name, value]));
	return {
		...named("GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS SSH_ASKPASS GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR", program),
		...named("GIT_PROXY_COMMAND GIT_CONFIG_VALUE_0 LD_AUDIT ENV BASH_ENV", program),
		...named("GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_DIR GIT_WORK_TREE GIT_OBJECT_DIRECTORY GIT_INDEX_FILE", at),
		...named("HOME XDG_CONFIG_HOME", at),
		...named("http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy", "http://127.0.0.1:1"),
		...named("GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG SSL_CERT_FILE SSL_CERT_DIR GIT_SSL_CAINFO", config),
		...named("GIT_SSL_CAPATH PGSSLROOTCERT NODE_EXTRA_CA_CERTS CURL_CA_BUNDLE", config),
		...named("PGHOST PGHOSTADDR PGSERVICEFILE PGPASSFILE PGSSLMODE PGOPTIONS PGUSER PGPASSWORD", config),
		...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.sshCommand", GIT_SSL_NO_VERIFY: "1" },
		...{ GIT_ALLOW_PROTOCOL: "ext", NODE_TLS_REJECT_UNAUTHORIZED: "0" },
		...{ NODE_OPTIONS: `--require ${program}`, BUN_OPTIONS: `--preload ${program}` },
	};
};

test.each(["folder", "git", ...(canRun("postgres") ? ["postgres"] : [])])(
	"what a repository puts into a session's environment reaches no exchange of the Stop hook: %s",
	async (kind) => {
		const { base, place, ann, bob } = twoHomes(`environment-${kind}`);
		const far = join(base, "far.git");
		gitIn(base, base, ["init", "-q", "--bare", far]);
		const server = kind === "postgres" ? await postgresServer() : null;
		onTestFinished(() => server?.end());
		for (const { home } of [ann, bob]) writeFileSync(join(home, ".pgpass"), "*:*:*:*:boss-1\n", { mode: 0o600 });
		const database = server && `postgres://boss@127.0.0.1:${server.port}/team?sslmode=disable`;
		if (database) await server.sql(`SET ROLE boss; ${createSql(database)}`, "team");
		await ann.init(database ?? (kind === "git" ? `git:${far}` : place));
		await joins(ann, bob);
		await ann.ccg("memory", "save", "the harbour closes at nine");
		const at = join(base, "hostile");
		mkdirSync(at);
		const env = { ...HOSTILE(at), CCG_HOME: at, PATH: `${at}:/usr/bin:/bin`, CLAUDE_PROJECT_DIR: ann.project };
		for (const name of ["git", "ssh", "sh"]) {
			writeFileSync(join(at, name), `#!/bin/sh\necho "$0 $*" >>'${join(at, "trace")}'\nexit 1\n`, { mode: 0o755 });
		}
		const input = {
			session_id: "s-1",
			transcript_path: join(at, "none.jsonl"),
			cwd: ann.project,
			hook_event_name: "Stop",
		};
		// as it is registered: what lies in a store
		await ann.ccg("install", "--yes");
		await run([join(ann.store, "app/current/bin/ccg"), "hook", "stop"], { env, cwd: ann.project, input });
		const told = () => bob.ccg("sync", "now").then(() => bob.shared());
		await expect.poll(told, { timeout: 15_000, interval: 100 }).toContain("the harbour closes at nine");
		const log = join(ann.store, "log", "ccg.log");
		expect(existsSync(log) ? readFileSync(log, "utf8") : "").not.toContain("sync");
		expect(existsSync(join(at, "trace")) ? readFileSync(join(at, "trace"), "utf8") : "").not.toMatch(/program|git/);
	},
);
