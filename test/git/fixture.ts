import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { repositoryOf } from "../../src/git/repository.ts";
import { readStatus } from "../../src/git/status.ts";
import { thisUser } from "../../src/git/user.ts";
import { gitIn } from "../kit/git.ts";
import { scratch } from "../scratch-home.ts";

/** A repository of real git, and what it says of itself. */
export interface GitPlace {
	top: string;
	home: string;
	git(...args: string[]): string;
	write(path: string, text: string | Buffer): void;
	remove(path: string): void;
}

export function repository({ commit = true, init = [] as string[] } = {}): GitPlace {
	const place = folder();
	place.git("init", "-q", "-b", "main", ...init);
	for (const name of ["a", "b", "dir/c", "dir/deep/d", "x/y"]) place.write(name, `${name}\n`.repeat(3));
	if (!commit) return place;
	place.git("add", "-A");
	place.git("commit", "-qm", "first");
	return place;
}

export function folder(): GitPlace {
	const home = realpathSync(scratch("git-home"));
	const top = realpathSync(scratch("git-top"));
	return {
		top,
		home,
		git: (...args) => gitIn(top, home, args),
		write(path, text) {
			mkdirSync(dirname(join(top, path)), { recursive: true });
			writeFileSync(join(top, path), text);
		},
		remove: (path) => rmSync(join(top, path), { recursive: true }),
	};
}

export const ownStatus = (top: string, home: string) => {
	const user = { ...thisUser({ HOME: home }), home, configHome: join(home, ".config") };
	const found = repositoryOf(top, user);
	return found ? readStatus(found, user) : null;
};

/** Git's own words, names as ours: letters of other languages stay. */
const gitStatus = ({ git }: GitPlace): string[] =>
	git("-c", "core.quotePath=false", "--no-optional-locks", "status", "--porcelain=v1", "--no-renames")
		.split("\n")
		.filter(Boolean);

/** Our words are git's. */
export const agrees = (place: GitPlace): string[] => {
	const { lines, unseen } = ownStatus(place.top, place.home)!;
	expect({ lines, unseen }).toEqual({ lines: gitStatus(place), unseen: null });
	return lines;
};
