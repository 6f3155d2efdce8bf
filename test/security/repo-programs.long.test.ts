import { appendFileSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ENTRIES, type RepoSandbox, repoSandbox, withRepository } from "./repo-fixture.ts";

/** Prepares a repository that wants a program run; gives the folder the session works in and what its environment holds. */
type Trap = (at: RepoSandbox) => { cwd?: string; env?: Record<string, string> } | undefined;

/** A filter of every text file. */
function filtered(at: RepoSandbox): undefined {
	at.write(".git/info/attributes", "*.txt filter=x\n");
	appendFileSync(
		join(at.project, ".git/config"),
		`\n[filter "x"]\n\tclean = ${at.program("clean")}\n\trequired = true\n`,
	);
}

/** A git of the workspace's own. */
function ownGit(at: RepoSandbox, folder: string, PATH: string) {
	mkdirSync(join(at.project, folder), { recursive: true });
	renameSync(at.program("git"), join(at.project, folder, "git"));
	return { env: { PATH: `${PATH}:/usr/bin:/bin` } };
}

/** ccg starts no git, so of each way in which git would run something there is one. */
const TRAPS: Record<string, Trap> = {
	"a filter": (at) => filtered(at),
	"a filter by the environment": (at) => {
		at.write(".git/info/attributes", "*.txt filter=x\n");
		const [GIT_CONFIG_KEY_0, GIT_CONFIG_VALUE_0] = ["filter.x.clean", at.program("clean")];
		return { env: { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0, GIT_CONFIG_VALUE_0 } };
	},
	"core.fsmonitor": (at) => void at.git("config", "core.fsmonitor", at.program("fsmonitor")),
	"programs for what is shown": (at) => {
		for (const name of ["diff.external", "core.pager", "gpg.program", "core.editor", "credential.helper"])
			at.git("config", name, at.program(name));
		return void at.git("config", "alias.status", `!${at.program("alias")}`);
	},
	"git in a folder of PATH that is relative": (at) => ownGit(at, ".", "."),
	"git in a folder of the workspace on PATH": (at) =>
		ownGit(at, "node_modules/.bin", join(at.project, "node_modules/.bin")),
	"a git of the user's that does not end": (at) => {
		at.program("git", "trap '' TERM INT HUP\nwhile :; do sleep 1; done");
		return { env: { PATH: `${at.top}/programs:/usr/bin:/bin` } };
	},
};

describe.each(Object.keys(ENTRIES))("nothing of a repository runs: %s", (entry) => {
	test.each(Object.keys(TRAPS))("%s", async (name) => {
		const at = repoSandbox();
		withRepository(at);
		const { cwd = at.project, env } = TRAPS[name]!(at) ?? {};
		const { code, timedOut } = await ENTRIES[entry]!(at, cwd, env);
		expect({ code, timedOut, ran: at.ran() }).toEqual({ code: 0, timedOut: false, ran: [] });
	});
});
