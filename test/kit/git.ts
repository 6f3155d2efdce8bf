import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { printedBy } from "./process.ts";

const OPTIONS = ["user.name=a", "user.email=a@b.c", "commit.gpgsign=false", "protocol.file.allow=always"];

/** Real git in a folder, with nothing of this machine's but its programs; gives what it prints. */
export const gitIn = (cwd: string, home: string, args: readonly string[]): string =>
	printedBy(["git", ...OPTIONS.flatMap((option) => ["-c", option]), ...args], {
		cwd,
		env: { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: home },
	});

/** A PATH with a git in front that runs lines of sh, then git itself. */
export function programIn(base: string, lines: string): string {
	const folder = join(base, "bin");
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "git"), `#!/bin/sh\n${lines}\nexec ${Bun.which("git")} "$@"\n`);
	chmodSync(join(folder, "git"), 0o755);
	return `${folder}:${process.env.PATH}`;
}
