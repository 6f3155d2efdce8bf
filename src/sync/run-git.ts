import { oneLine, safeText } from "../core/text/text.ts";
import { tryOrUndefined } from "../files/quietly.ts";
import type { Env } from "../store/paths.ts";

const TIME_MS = 60_000;
const MAX_OUT = 16 * 1024 * 1024;
/** What a remote can make git take: 16 MB a file (in blocks of 512 bytes), 10 s of the processor, 3 GB of memory (in KB). */
const SHELL_LIMITS = "for limit in '-f 32768' '-t 10' '-v 3145728'; do ulimit $limit 2>/dev/null; done";

/** These settings win over any configuration, also that of a repository on this machine, which may be anybody's. */
const GIT_SETTINGS = [
	...["core.hooksPath=/dev/null", "core.logAllRefUpdates=false", "core.alternateRefsCommand=true"],
	...["receive.denyCurrentBranch=ignore", "receive.autogc=false", "maintenance.auto=false", "push.gpgSign=false"],
	// what is sent stays packed, and a large blob is not held in memory
	...["http.sslVerify=true", "fetch.unpackLimit=1", "core.bigFileThreshold=4m"],
].flatMap((setting) => ["-c", setting]);

/** The option by which git starts the remote's own program, for a remote in a folder of this machine: with our settings, for that repository alone. */
export const remoteProgramOption = (program: string, isLocal: boolean): string[] =>
	isLocal ? [`--${program}=GIT_ALLOW_PROTOCOL=none git ${GIT_SETTINGS.join(" ")} ${program}`] : [];

export interface GitOptions {
	/** Of it git gets who the user is, the PATH and the user's agent. */
	env: Env;
	/** The repository it works in; without one it works in none. */
	gitDir?: string;
	input?: Uint8Array;
	timeMs?: number;
	maxOut?: number;
}

/** Gives git's environment: none of its variables but these, and of configurations the user's alone. */
const gitEnvironment = ({ HOME, USER, LOGNAME, PATH, SSH_AUTH_SOCK }: Env, gitDir: string): Env => ({
	...{ HOME, USER, LOGNAME, PATH, SSH_AUTH_SOCK, LC_ALL: "C" },
	...{ GIT_DIR: gitDir, GIT_CONFIG_NOSYSTEM: "1", GIT_ALLOW_PROTOCOL: "file:https:ssh" },
	...{ GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", GCM_INTERACTIVE: "never" },
});

/**
 * Runs git and gives what it prints. It has no terminal to ask on, and is killed with all that it started when it takes too long or prints too
 * much. Throws with git's own reason.
 */
export async function runGit(words: readonly string[], running: GitOptions): Promise<Buffer> {
	const { env, gitDir = "/dev/null", input, timeMs = TIME_MS, maxOut = MAX_OUT } = running;
	const child = Bun.spawn(["/bin/sh", "-c", `${SHELL_LIMITS}; exec git "$@"`, "git", ...GIT_SETTINGS, ...words], {
		...{ env: gitEnvironment(env, gitDir), cwd: "/", detached: true, stdin: input ?? "ignore", stderr: "pipe" },
		...{ timeout: timeMs, maxBuffer: maxOut, killSignal: "SIGKILL" },
	});
	// programs that git started hold its output open
	const ended = child.exited.finally(() => tryOrUndefined(() => process.kill(-child.pid, "SIGKILL")));
	const [out, errorText, code] = await Promise.all([child.stdout.bytes(), child.stderr.text(), ended]);
	if (code === 0) return Buffer.from(out);
	if (code === 127) throw new Error("git is not on the PATH; sharing by git needs it, 2.30 or newer");
	// (a remote may have written a part of this text)
	const why = oneLine(safeText(errorText.slice(-4_000))).slice(-400) || `it ended with ${code}`;
	const limits = `it took over ${timeMs / 1000} s, or gave over ${maxOut} bytes`;
	throw new Error(`git ${words[0]}: ${child.signalCode === "SIGKILL" ? limits : why}`);
}
