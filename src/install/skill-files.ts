import { readdirSync } from "node:fs";
import { join } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { systemReason } from "../files/system-failure.ts";
import { readText } from "../store/json-file.ts";
import { settingsError } from "./settings-error.ts";
import { shellWord } from "./shell-word.ts";

/** A file for Claude Code's own folder: `path` is told from there on. */
export interface SkillFile {
	path: string;
	text: string;
}

/**
 * The slash commands, skills and the agent that lie in this installation's folders `skills` and `agents`, as the user's own folder
 * takes them. `commands/ccg/NAME.md` is `/ccg:NAME` there, as in the plugin (measured on 2.1.118, 2.1.250 and 2.1.330; a
 * folder `skills/ccg` is not). Throws `SETTINGS_INVALID` where one can't be read.
 */
export function skillFiles(launcher: string, root: string): SkillFile[] {
	const skills = named(join(root, "skills")).map((name) => ({
		from: join(root, "skills", name, "SKILL.md"),
		path: `commands/ccg/${name}.md`,
		// the folder and the file's name give it
		edit: (text: string) => text.replace(/^name: .*\n/m, ""),
	}));
	const agents = named(join(root, "agents")).map((name) => ({
		from: join(root, "agents", name),
		path: `agents/${name}`,
		edit: (text: string) => text,
	}));
	return [...skills, ...agents].map(({ from, path, edit }) => ({
		path,
		text: redactSecrets(withLauncher(edit(read(from)), launcher)),
	}));
}

/** `ccg` becomes the launcher's path in commands: between backticks, in code, in a grant; not in the description, which costs context. */
export function withLauncher(text: string, launcher: string): string {
	const word = shellWord(launcher);
	return text
		.split("\n")
		.filter((line) => word === launcher || !line.startsWith("allowed-tools:"))
		.map((line) =>
			line.startsWith("description:")
				? line
				: line.replace(/(^ {4,}|[`(])ccg(?= [a-z])/g, (_, before: string) => before + word),
		)
		.join("\n");
}

/** Whether the grants can name this launcher: a rule in the front matter knows no quotes. */
export const canGrant = (launcher: string): boolean => shellWord(launcher) === launcher;

function named(folder: string): string[] {
	try {
		return readdirSync(folder).sort();
	} catch (error) {
		throw unreadable(folder, systemReason(error) ?? "", error);
	}
}

function read(path: string): string {
	const text = readText(path);
	if (text === null) throw unreadable(path, "it is not there, or no file");
	return text;
}

const unreadable = (path: string, why: string, cause?: unknown): Error =>
	settingsError("SETTINGS_INVALID", `${path} can't be read${why && ` (${why})`}; reinstall ccg`, cause);
