import { appendFileSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ccg, hook } from "../kit/sandbox.ts";
import { type RepoSandbox, repoSandbox, withRepository } from "./repo-fixture.ts";

/** Prepares a repository that wants a program run; gives what the session's environment holds. */
type Trap = (at: RepoSandbox) => Record<string, string>;

/** A git of the workspace's own. */
function ownGit(at: RepoSandbox, folder: string, PATH: string): Record<string, string> {
	mkdirSync(join(at.project, folder), { recursive: true });
	renameSync(at.program("git"), join(at.project, folder, "git"));
	return { PATH: `${PATH}:/usr/bin:/bin` };
}

/** ccg starts no git, so of each way in which git would run something there is one. */
const TRAPS: Record<string, Trap> = {
	"programs of its configuration": (at) => {
		at.write(".git/info/attributes", "*.txt filter=x\n");
		const filter = `\n[filter "x"]\n\tclean = ${at.program("clean")}\n\trequired = true\n`;
		appendFileSync(join(at.project, ".git/config"), filter);
		for (const name of ["core.fsmonitor", "diff.external", "core.pager", "gpg.program", "credential.helper"])
			at.git("config", name, at.program(name));
		return {};
	},
	"a filter by the environment": (at) => {
		at.write(".git/info/attributes", "*.txt filter=x\n");
		const [GIT_CONFIG_KEY_0, GIT_CONFIG_VALUE_0] = ["filter.x.clean", at.program("clean")];
		return { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0, GIT_CONFIG_VALUE_0 };
	},
	"a git in a relative folder of PATH": (at) => ownGit(at, ".", "."),
	"a git of the workspace on PATH": (at) => ownGit(at, "tools", join(at.project, "tools")),
	"a git of the user's that does not end": (at) => {
		at.program("git", "trap '' TERM INT HUP\nwhile :; do sleep 1; done");
		return { PATH: `${at.top}/programs:/usr/bin:/bin` };
	},
};

test.each(Object.entries(TRAPS))("nothing of a repository runs: %s", async (_, trap) => {
	const at = repoSandbox();
	withRepository(at);
	const options = { env: trap(at), limitMs: 20_000 };
	const preCompact = await hook(at, "pre-compact", { hook_event_name: "PreCompact", trigger: "manual" }, options);
	const start = await hook(at, "session-start", { hook_event_name: "SessionStart", source: "compact" }, options);
	const status = await ccg(at, ["status", "--machine"], options);
	for (const { code, timedOut } of [preCompact, start, status])
		expect({ code, timedOut, ran: at.ran() }).toEqual({ code: 0, timedOut: false, ran: [] });
});
