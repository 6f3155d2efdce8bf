import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { readBytes } from "../files/json-file.ts";
import { namesIn, quietLstat, quietly } from "../files/quietly.ts";
import { typedWord } from "../store/app-folder.ts";
import { makeFolder, writeFileAtomic } from "../store/atomic-write.ts";
import { type InstallPlan, type InstallRequest, launcherToTell } from "./plan.ts";
import { claudeFolder, realTarget } from "./settings-sources.ts";

/** Of the user's folder. `commands/ccg/NAME.md` is `/ccg:NAME` there (measured on 2.1.118 to 2.1.330; a folder `skills/ccg` is not). */
const FOLDERS = ["commands/ccg", "agents"];

/**
 * The change of the user's slash commands, skills and agent: files that are ccg's whole, each with a seal in it. A file without it, or
 * with other bytes than it was sealed with, is the user's, and so is what lies behind a link. Writes nothing. Throws `NO_HOME` and what
 * the file system says.
 */
export function planSkills(kind: InstallPlan["kind"], request: InstallRequest): InstallPlan {
	const path = claudeFolder(request.env, request.cwd);
	const root = realTarget(path);
	const from = request.from ?? dirname(dirname(request.launcher));
	const wanted = kind === "install" ? skillFiles(launcherToTell(request), from) : new Map<string, string>();
	const there = FOLDERS.flatMap((folder) => namesIn(join(root, folder)).map((name) => `${folder}/${name}`)).filter(
		(name) => /\/[\w-]+\.md$/.test(name),
	);
	const files = [...new Set([...wanted.keys(), ...there])].map((name) => {
		const before = readInside(root, name);
		const isOurs = before === null || (before !== undefined && isSealed(before));
		return { name, path: join(path, name), before, after: wanted.get(name) ?? null, isOurs };
	});
	const changed = files.flatMap(({ before, ...file }) =>
		file.isOurs && before !== undefined && before !== file.after ? [{ ...file, before }] : [],
	);
	return {
		kind,
		target: "skills",
		path,
		changes: changed.map(({ path, before, after }) => ({ path, before, after })),
		commands: [],
		notes: files
			.filter(({ name, isOurs }) => !isOurs && (wanted.has(name) || name.startsWith("commands/ccg/")))
			.map(({ path }) => `Warning: ${path} stays as it is: it is not ccg's, was edited since, or is a link.`),
		async act() {
			for (const { name, before, after } of changed) {
				const file = join(root, name);
				// somebody has written it meanwhile
				if (readInside(root, name) !== before) continue;
				if (after === null) rmSync(file);
				else {
					makeFolder(dirname(file));
					writeFileAtomic(file, Buffer.from(after));
				}
			}
			for (const folder of [...FOLDERS, "commands"]) quietly(() => rmdirSync(join(root, folder)));
		},
	};
}

/** A file's text; `null` where there is none, `undefined` where it can't be read or a link is in the way. */
function readInside(root: string, name: string): string | null | undefined {
	const parts = name.split("/");
	if (parts.some((_, n) => quietLstat(join(root, ...parts.slice(0, n + 1)))?.isSymbolicLink())) return undefined;
	const file = readBytes(join(root, name), { follow: false });
	return file.state === "good" ? file.text : file.state === "absent" ? null : undefined;
}

const HEAD = "---\n";
const SEAL = /^---\n# ccg [0-9a-f]{16}\n/;

/** The text with its own checksum in it, as a comment in the YAML at its head. */
const seal = (text: string): string => text.replace(HEAD, `${HEAD}# ccg ${checksumOf(text)}\n`);

const isSealed = (text: string): boolean => SEAL.test(text) && seal(text.replace(SEAL, HEAD)) === text;

const checksumOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** The files of this installation's folders `skills` and `agents`, as the user's own folder takes them, by their paths below it. */
function skillFiles(launcher: string, root: string): Map<string, string> {
	const read = (...path: string[]): string => readFileSync(join(root, ...path), "utf8");
	const names = (folder: string): string[] => readdirSync(join(root, folder)).sort();
	const files = [
		// the folder and the file's name give the name
		...names("skills").map(
			(name) => [`commands/ccg/${name}.md`, read("skills", name, "SKILL.md").replace(/^name: .*\n/m, "")] as const,
		),
		...names("agents").map((name) => [`agents/${name}`, read("agents", name)] as const),
	];
	return new Map(files.map(([path, text]) => [path, seal(redactSecrets(withLauncher(text, launcher)))]));
}

/** `ccg` becomes the launcher's path in commands: between backticks, in code, in a grant; not in the description, which costs context. */
function withLauncher(text: string, launcher: string): string {
	const word = typedWord(launcher);
	const inLine = (line: string): string =>
		line.startsWith("description:")
			? line
			: line.replace(/(^ {4,}|[`(])ccg(?= [a-z])/g, (_, before: string) => before + word);
	return text.split("\n").map(inLine).join("\n");
}
