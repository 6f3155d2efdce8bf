import { spawn } from "node:child_process";
import { oneLine, safeText } from "../core/text/text.ts";
import { coded, whyOf } from "../files/system-failure.ts";
import type { Env } from "../store/paths.ts";

const TIME_MS = 60_000;
const MAX_OUT = 64 * 1024 * 1024;
const MAX_ERR = 64 * 1024;
/** What one file may grow to that git writes, in blocks of 512 bytes; seconds of the processor; what it may take of memory, in KB: a remote may send without end, and what unpacks without end. */
const LIMITS = [`-f ${(256 * 1024 * 1024) / 512}`, "-t 20", `-v ${3 * 1024 * 1024}`];

/** Stands over what any configuration says, of the user, the machine or a repository. */
const SETTINGS = [
	...["core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null", "core.askPass="],
	...["commit.gpgSign=false", "push.gpgSign=false", "push.followTags=false", "push.pushOption="],
	...["push.recurseSubmodules=no", "fetch.recurseSubmodules=false", "submodule.recurse=false", "fetch.prune=false"],
	...["credential.interactive=false", "gc.autoDetach=false", "maintenance.autoDetach=false"],
	...["http.lowSpeedLimit=100", "http.lowSpeedTime=60", "http.sslVerify=true", "http.followRedirects=initial"],
	// what is sent is kept packed, and a large blob is not held in memory
	...["fetch.unpackLimit=1", "core.bigFileThreshold=4m", "pack.threads=1", "fetch.fsckObjects=true"],
].flatMap((setting) => ["-c", setting]);

/**
 * For a repository on this machine, where git starts its other half itself: in there count that repository's configuration and hooks, which
 * may be anybody's. It may ask no other repository for what it lacks.
 */
const half = (name: string): string =>
	`GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 git ${SETTINGS.join(" ")} -c core.alternateRefsCommand=true -c receive.autogc=false -c receive.denyCurrentBranch=refuse ${name}`;
export const uploadPack = (isHere: boolean): string[] => (isHere ? [`--upload-pack=${half("upload-pack")}`] : []);
export const receivePack = (isHere: boolean): string[] => (isHere ? [`--receive-pack=${half("receive-pack")}`] : []);

const NONE: Env = {
	GIT_TERMINAL_PROMPT: "0",
	GIT_ASKPASS: "",
	SSH_ASKPASS_REQUIRE: "never",
	GCM_INTERACTIVE: "never",
	GIT_ALLOW_PROTOCOL: "file:https:ssh",
	GIT_NO_LAZY_FETCH: "1",
	GIT_NO_REPLACE_OBJECTS: "1",
	LC_ALL: "C",
	...{ GIT_AUTHOR_NAME: "ccg", GIT_AUTHOR_EMAIL: "ccg@invalid" },
	...{ GIT_COMMITTER_NAME: "ccg", GIT_COMMITTER_EMAIL: "ccg@invalid" },
};

/** The environment for git: what was kept for exchanges and the user's agent, no variable of git, and of configurations the user's alone. */
export const gitEnv = ({ HOME, USER, LOGNAME, PATH, LANG, SSH_AUTH_SOCK }: Env, gitDir: string): Env => ({
	...{ HOME, USER, LOGNAME, PATH, LANG, SSH_AUTH_SOCK, ...NONE },
	...{ GIT_CONFIG_NOSYSTEM: "1", GIT_DIR: gitDir },
});

/** The same without anything that is known of the user: no configuration, no helper, no password file, no key. */
export const strangerEnv = ({ PATH }: Env): Env => ({
	...{ PATH, ...NONE, HOME: "/dev/null", XDG_CONFIG_HOME: "/dev/null" },
	...{ GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
});

export interface Running {
	env: Env;
	input?: Uint8Array;
	timeMs?: number;
	maxOut?: number;
}

/**
 * Runs git and gives what it prints. It has no terminal to ask on, and is ended with all that it started when its time or its room is over.
 * Throws with code `EGIT` and git's own reason, with `ENOGIT` where there is none.
 */
export function runGit(words: readonly string[], running: Running): Promise<Buffer> {
	const { env, input = "", timeMs = TIME_MS, maxOut = MAX_OUT } = running;
	return new Promise((resolve, reject) => {
		const shell = [
			"-c",
			`${LIMITS.map((one) => `ulimit ${one} 2>/dev/null`).join("; ")}; exec git "$@"`,
			"git",
			...SETTINGS,
			...words,
		];
		const child = spawn("/bin/sh", shell, { env, cwd: "/", detached: true, stdio: "pipe" });
		const out: Buffer[] = [];
		let [size, said, ended] = [0, "", ""];
		const end = (why: string): void => {
			ended ||= why;
			try {
				process.kill(-child.pid!, "SIGKILL");
			} catch {}
		};
		const timer = setTimeout(() => end(`it took longer than ${timeMs / 1000} s`), timeMs);
		child.stdout.on("data", (bytes: Buffer) => {
			size += bytes.length;
			if (size > maxOut) end("it gave more than fits");
			else out.push(bytes);
		});
		child.stderr.on("data", (bytes: Buffer) => {
			said = (said + bytes.toString("utf8")).slice(-MAX_ERR);
		});
		child.on("error", (error) => {
			clearTimeout(timer);
			reject(coded("EGIT", `git can't be started: ${whyOf(error)}`));
		});
		child.on("close", (code) => {
			clearTimeout(timer);
			if (code === 0 && !ended) return resolve(Buffer.concat(out));
			if (code === 127)
				return reject(coded("ENOGIT", `git is not on the PATH; sharing by git needs it, 2.30 or newer`));
			reject(coded("EGIT", `git ${words[0]}: ${ended || reasonIn(said) || `it ended with ${code}`}`));
		});
		child.stdin.on("error", () => {});
		child.stdin.end(input);
	});
}

/** What git says is wrong, in one line; a remote may have written a part of it. */
function reasonIn(said: string): string {
	const lines = said.split("\n").map((line) => oneLine(safeText(line.slice(0, 400))));
	const found = lines.filter((line) => /^(?:fatal|error|remote: error|ssh|! )/i.test(line) || line.includes("denied"));
	return (found.length > 0 ? found : lines.filter(Boolean))
		.slice(0, 3)
		.join("; ")
		.replace(/fatal: |error: /g, "");
}
