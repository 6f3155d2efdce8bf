import { readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { readTextOrReason } from "../files/json-file.ts";
import { listFolder, tryLstat, tryOrUndefined } from "../files/quietly.ts";
import { typedPath } from "../store/app-folder.ts";
import { makePrivateFolder, writeFileAtomic } from "../store/atomic-write.ts";
import { sha256 } from "../store/gate.ts";
import { type InstallPlan, type InstallRequest, shortLauncherFor } from "./plan.ts";
import { claudeFolder, realTarget } from "./settings-sources.ts";

/** The folders below the user's `.claude`. `commands/ccg/NAME.md` is `/ccg:NAME` there (measured on 2.1.118 to 2.1.330; a folder `skills/ccg` is not). */
const FOLDERS = ["commands/ccg", "agents"];
const SLASH_CCG = "commands/ccg.md";

/**
 * Plans the change of ccg's slash commands and agent in the user's folder. Each file holds its own checksum: one without it or with another one,
 * or behind a link, is the user's and stays. Writes nothing. Throws `NO_HOME` and errors of the file system.
 */
export function planSkills(kind: InstallPlan["kind"], request: InstallRequest): InstallPlan {
	const path = claudeFolder(request.env, request.cwd);
	const root = realTarget(path);
	const from = request.from ?? dirname(dirname(request.launcher));
	const wanted = kind === "install" ? skillFiles(shortLauncherFor(request), from) : new Map<string, string>();
	const present = FOLDERS.flatMap((folder) => listFolder(join(root, folder)).map((name) => `${folder}/${name}`)).filter(
		(name) => /\/[\w-]+\.md$/.test(name),
	);
	const files = [...new Set([...wanted.keys(), ...present, SLASH_CCG])].map((name) => {
		const before = readUnlinked(root, name);
		const isOurs = before === null || (before !== undefined && isUnedited(before));
		return { name, path: join(path, name), before, after: wanted.get(name) ?? null, isOurs };
	});
	const changed = files.flatMap(({ before, ...file }) =>
		file.isOurs && before !== undefined && before !== file.after ? [{ ...file, before }] : [],
	);
	const changes = changed.map(({ path, before, after }) => ({ path, before, after }));
	const notes = files
		.filter(({ name, isOurs }) => !isOurs && (wanted.has(name) || name.startsWith("commands/ccg")))
		.map(({ path }) => `Warning: ${path} stays as it is: it is not ccg's, was edited since, or is a link.`);
	const apply = async (): Promise<void> => {
		for (const { name, before, after } of changed) {
			const file = join(root, name);
			// skips one that was changed since the plan was made
			if (readUnlinked(root, name) !== before) continue;
			if (after === null) rmSync(file);
			else {
				makePrivateFolder(dirname(file));
				writeFileAtomic(file, Buffer.from(after));
			}
		}
		for (const folder of [...FOLDERS, "commands"]) tryOrUndefined(() => rmdirSync(join(root, folder)));
	};
	return { kind, target: "skills", path, changes, commands: [], notes, apply };
}

/** A file's text; `null` where there is none, `undefined` where it can't be read or a link is in the way. */
function readUnlinked(root: string, name: string): string | null | undefined {
	const parts = name.split("/");
	if (parts.some((_, n) => tryLstat(join(root, ...parts.slice(0, n + 1)))?.isSymbolicLink())) return undefined;
	const file = readTextOrReason(join(root, name), { follow: false });
	return file.state === "good" ? file.text : file.state === "absent" ? null : undefined;
}

const YAML_START = "---\n";
const CHECKSUM_LINE = /^---\n# ccg [0-9a-f]{16}\n/;

/** The text with its own checksum added, as a comment in the YAML at its start. */
const addChecksum = (text: string): string => text.replace(YAML_START, `${YAML_START}# ccg ${checksumOf(text)}\n`);

/** Whether a text holds its own checksum: ccg wrote it, and nobody has edited it since. */
const isUnedited = (text: string): boolean =>
	CHECKSUM_LINE.test(text) && addChecksum(text.replace(CHECKSUM_LINE, YAML_START)) === text;

const checksumOf = (text: string): string => sha256(text).slice(0, 16);

/** The texts of ccg's slash commands and agent, by their paths below the user's `.claude`. */
function skillFiles(launcher: string, root: string): Map<string, string> {
	const read = (...path: string[]): string => readFileSync(join(root, ...path), "utf8");
	const names = (folder: string): string[] => readdirSync(join(root, folder)).sort();
	const skill = (name: string): string => read("skills", name, "SKILL.md").replace(/^name: .*\n/m, "");
	const commandFile = (name: string): string => (name === "ccg" ? SLASH_CCG : `commands/ccg/${name}.md`);
	const files = [
		// (a slash command's name is its path)
		...names("skills").map((name) => [commandFile(name), skill(name)] as const),
		...names("agents").map((name) => [`agents/${name}`, read("agents", name)] as const),
	];
	return new Map(files.map(([path, text]) => [path, addChecksum(redactSecrets(withLauncher(text, launcher)))]));
}

/** Puts the launcher's path for `ccg` in the commands of a text; not in the description, which is always in Claude's context. */
function withLauncher(text: string, launcher: string): string {
	const launcherWord = typedPath(launcher);
	const inLine = (line: string): string =>
		line.startsWith("description:")
			? line
			: line.replace(/(^ {4,}|[`(])ccg(?= [a-z])/g, (_, before: string) => before + launcherWord);
	return text.split("\n").map(inLine).join("\n");
}
