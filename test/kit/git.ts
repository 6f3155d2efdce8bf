import { printedBy } from "./process.ts";

const OPTIONS = ["user.name=a", "user.email=a@b.c", "commit.gpgsign=false", "protocol.file.allow=always"];

/** Real git in a folder, with nothing of this machine's but its programs; gives what it prints. */
export const gitIn = (cwd: string, home: string, args: readonly string[]): string =>
	printedBy(["git", ...OPTIONS.flatMap((option) => ["-c", option]), ...args], {
		cwd,
		env: { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: home },
	});
