import { chmodSync, mkdirSync, renameSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { scratch } from "../scratch-home.ts";
import type { GitPlace } from "./fixture.ts";

export const many = (place: GitPlace, count: number, text = "x"): void => {
	for (let i = 0; i < count; i++) place.write(`many/f${String(i).padStart(4, "0")}`, `${text} ${i}\n`);
};

export type RepositoryChange = (place: GitPlace) => void;

/** What is changed in a repository that holds a, b, dir/c, dir/deep/d and x/y. */
export const CASES: Record<string, RepositoryChange> = {
	nothing: () => {},
	"a changed file": ({ write }) => write("a", "other\n"),
	"a changed file of the same size": ({ write }) => write("a", "A\nA\nA\n"),
	"a file touched": ({ top }) => utimesSync(join(top, "a"), 1, 1),
	"a deleted file": ({ remove }) => remove("dir/c"),
	"a deleted folder": ({ remove }) => remove("dir"),
	"a staged change": ({ write, git }) => {
		write("a", "other\n");
		git("add", "a");
	},
	"a staged change, changed again": ({ write, git }) => {
		write("dir/c", "other\n");
		git("add", ".");
		write("dir/c", "once more\n");
	},
	"a staged deletion": ({ git }) => void git("rm", "-qf", "dir/deep/d"),
	"a staged deletion, the file kept": ({ git }) => void git("rm", "-q", "--cached", "dir/deep/d"),
	"a whole folder's staged deletion": ({ git }) => void git("rm", "-rqf", "dir"),
	"a new file staged": ({ write, git }) => {
		write("new/n", "n");
		git("add", "new");
	},
	"a new file staged and deleted": ({ write, git, remove }) => {
		write("n", "n");
		git("add", "n");
		remove("n");
	},
	"a rename": ({ git }) => void git("mv", "a", "dir/moved"),
	"a rename not staged": ({ top }) => renameSync(join(top, "a"), join(top, "z")),
	"the right to execute": ({ top }) => chmodSync(join(top, "a"), 0o755),
	"the right to execute, staged": ({ top, git }) => {
		chmodSync(join(top, "a"), 0o755);
		git("add", "a");
	},
	"the right to execute where it does not count": ({ top, git }) => {
		git("config", "core.fileMode", "false");
		chmodSync(join(top, "a"), 0o755);
	},
	"a link in a file's place": ({ top, remove }) => {
		remove("a");
		symlinkSync("b", join(top, "a"));
	},
	"a link in a file's place, staged": ({ top, remove, git }) => {
		remove("a");
		symlinkSync("b", join(top, "a"));
		git("add", "a");
	},
	"a link that leads elsewhere now": ({ top, remove, git }) => {
		symlinkSync("a", join(top, "l"));
		git("add", "l");
		git("commit", "-qm", "link");
		remove("l");
		symlinkSync("b", join(top, "l"));
	},
	"a folder in a file's place": ({ remove, write }) => {
		remove("a");
		write("a/inner", "x");
	},
	"a folder in a file's place, staged": ({ remove, write, git }) => {
		remove("a");
		write("a/inner", "x");
		git("add", "-A");
	},
	"a file in a folder's place": ({ remove, write }) => {
		remove("dir");
		write("dir", "x");
	},
	"a file in a folder's place, staged": ({ remove, write, git }) => {
		remove("dir");
		write("dir", "x");
		git("add", "-A");
	},
	"a link in a folder's place": ({ top }) => {
		renameSync(join(top, "dir"), join(top, "dir2"));
		symlinkSync("dir2", join(top, "dir"));
	},
	"new files": ({ write }) => {
		for (const name of ["n", "dir/n", "dir/new/n", "new/deep/n", "new/m"]) write(name, "x");
	},
	"new folders without files": ({ top }) => mkdirSync(join(top, "empty", "deep"), { recursive: true }),
	"each new file named": ({ write, git }) => {
		git("config", "status.showUntrackedFiles", "all");
		for (const name of ["n", "new/deep/n", "new/m"]) write(name, "x");
	},
	"new files not asked for": ({ write, git }) => {
		git("config", "status.showUntrackedFiles", "no");
		write("n", "x");
	},
	"a new link to a folder": ({ top }) => symlinkSync("dir", join(top, "link")),
	"names in other languages and with spaces": ({ write, git }) => {
		write("проект.md", "x");
		write("with space", "x");
		git("add", "проект.md");
		write("ünder/x", "x");
	},
	"names with quotes and line ends": ({ write }) => {
		for (const name of ['q"uote', "back\\slash", "line\nend", "tab\there", "bell\u0007"]) write(name, "x");
	},
	"a file told to be believed": ({ write, git }) => {
		git("update-index", "--assume-unchanged", "a");
		write("a", "other\n");
	},
	"a file left alone": ({ remove, git }) => {
		git("update-index", "--skip-worktree", "a");
		remove("a");
	},
	"an intention to add": ({ write, git }) => {
		write("n", "x");
		git("add", "-N", "n");
	},
	"an intention to add, the file gone": ({ write, git, remove }) => {
		write("n", "x");
		git("add", "-N", "n");
		remove("n");
	},
	"a detached HEAD": ({ git, write }) => {
		git("checkout", "-q", "--detach");
		write("a", "other\n");
	},
	"many files, two of them changed": (place) => {
		many(place, 300);
		place.git("add", "-A");
		place.git("commit", "-qm", "many");
		place.write("many/f0100", "changed\n");
		place.write("many/f0200", "changed\n");
		place.git("add", "many/f0200");
	},
	"packed objects": (place) => {
		for (const text of ["one", "two", "three"]) {
			many(place, 60, text);
			place.git("add", "-A");
			place.git("commit", "-qm", text);
		}
		place.git("gc", "-q");
		place.git("read-tree", "HEAD");
		place.git("reset", "-q", "HEAD~1");
		place.git("rm", "-q", "--cached", "many/f0003");
	},
	"packed refs": ({ git, write }) => {
		git("pack-refs", "--all");
		write("a", "x");
	},
	"an index of version 4": (place) => {
		many(place, 40);
		place.git("add", "-A");
		place.git("update-index", "--index-version", "4");
		place.write("many/f0001", "y");
		place.remove("many/f0002");
	},
	"an index of version 3": ({ git, write }) => {
		git("update-index", "--skip-worktree", "dir/c");
		write("a", "x");
		write("n", "x");
	},
	"an index of version 2, long names": (place) => {
		for (let i = 1; i < 30; i++) place.write(`${"n".repeat(i)}/${"m".repeat(200)}`, "x");
		place.git("add", "-A");
		place.git("commit", "-qm", "long");
		place.write(`${"n".repeat(7)}/${"m".repeat(200)}`, "y");
	},
	"a sparse checkout": ({ git, write }) => {
		git("sparse-checkout", "init", "--cone");
		git("sparse-checkout", "set", "dir");
		write("dir/c", "changed\n");
		write("dir/new", "x");
	},
	"a sparse checkout with a sparse index": ({ git, write }) => {
		git("sparse-checkout", "init", "--cone", "--sparse-index");
		git("sparse-checkout", "set", "dir");
		write("dir/c", "changed\n");
		write("dir/new", "x");
		git("add", "dir/new");
	},
	"conflicts of every kind": (place) => {
		const { git, write } = place;
		git("checkout", "-qb", "other");
		write("a", "theirs\n");
		write("both", "theirs\n");
		git("rm", "-q", "b");
		write("dir/c", "theirs\n");
		git("add", "-A");
		git("commit", "-qm", "theirs");
		git("checkout", "-q", "main");
		write("a", "ours\n");
		write("both", "ours\n");
		write("b", "ours\n");
		git("rm", "-q", "dir/c");
		git("add", "-A");
		git("commit", "-qm", "ours");
		expect(() => git("merge", "other")).toThrow();
		write("new", "x");
	},
	"line ends converted on the way in": ({ git, write, top }) => {
		git("config", "core.autocrlf", "true");
		write("crlf", "one\r\ntwo\r\n");
		git("add", "crlf");
		git("commit", "-qm", "crlf");
		utimesSync(join(top, "crlf"), 5, 5);
	},
	"line ends by an attribute": ({ git, write, top }) => {
		write(".gitattributes", "*.txt text eol=crlf\n*.bin -text\n");
		write("t.txt", "one\r\ntwo\r\n");
		write("t.bin", "one\r\ntwo\r\n");
		git("add", "-A");
		git("commit", "-qm", "crlf");
		for (const name of ["t.txt", "t.bin"]) utimesSync(join(top, name), 5, 5);
		write("t.bin", "one\n\ntwo\n\n");
	},
	"a file that grew within the same second": ({ git, write }) => {
		write("a", "1\n");
		git("add", "a");
		write("a", "2\n");
	},
	"a repository in it": (place) => {
		mkdirSync(join(place.top, "inner"));
		place.git("init", "-q", "inner");
		place.write("inner/file", "x");
	},
	"an empty file": ({ write, git }) => {
		write("empty", "");
		git("add", "empty");
		git("commit", "-qm", "empty");
		write("empty", "");
	},
	"a file of 3 MB, touched": ({ write, git, top }) => {
		write("large", Buffer.alloc(3_000_000, "abc\n"));
		git("add", "large");
		git("commit", "-qm", "large");
		utimesSync(join(top, "large"), 5, 5);
	},
	"object names of SHA-256": ({ git, write, top }) => {
		// made anew: the form can't be changed
		renameSync(join(top, ".git"), join(scratch(), "old"));
		git("init", "-q", "--object-format=sha256");
		git("add", "a");
		git("commit", "-qm", "first");
		git("add", "b");
		utimesSync(join(top, "a"), 5, 5);
		write("dir/c", "x");
	},
};
