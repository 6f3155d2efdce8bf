import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { quietLstat } from "../files/quietly.ts";
import { typedWord } from "../store/app-folder.ts";
import { readBytes } from "../store/json-file.ts";
import { type InstallPlan, type InstallRequest, launcherToTell, planTarget, receiptStore } from "./plan.ts";
import { filesLeft, isLeft, receiptFolder } from "./receipt.ts";
import { claudeFolder, realTarget } from "./settings-sources.ts";

/**
 * The change of the user's slash commands, skills and agent: files that are ccg's whole. Any other bytes are the user's, and so is
 * what lies behind a link. Writes nothing. Throws `NO_HOME` and what the file system says.
 */
export async function planSkills(kind: InstallPlan["kind"], request: InstallRequest): Promise<InstallPlan> {
	const path = claudeFolder(request.env, request.cwd);
	const root = realTarget(path);
	const receipt = receiptFolder(receiptStore(request), root);
	const wanted =
		kind === "install"
			? skillFiles(launcherToTell(request), request.from ?? dirname(dirname(request.launcher)))
			: new Map<string, string>();
	const names = (): string[] => {
		const known = filesLeft(receipt).map((file) => file.slice(root.length + 1));
		return [...new Set([...wanted.keys(), ...known])].filter((name) => SKILL.test(name));
	};
	const isOurs = (name: string, text: string | null | undefined): boolean =>
		text === null || (text !== undefined && (text === wanted.get(name) || isLeft(receipt, join(root, name), text)));
	return planTarget(kind, request, {
		path,
		files: () =>
			names()
				.filter((name) => isOurs(name, readInside(root, name)))
				.map((name) => ({
					path: join(path, name),
					target: join(root, name),
					edit: (text) => (isOurs(name, text) ? (wanted.get(name) ?? null) : text),
					read: () => readInside(root, name) ?? null,
					mode: 0o600,
					isOwn: true,
				})),
		receipt,
		notes: names()
			.filter((name) => !isOurs(name, readInside(root, name)))
			.map((name) => `Warning: ${join(path, name)} stays as it is: it is not ccg's, was edited since, or is a link.`),
	});
}

const SKILL = /^(?:commands\/ccg|agents)\/[\w-]+\.md$/;

/** A file's text; `null` where there is none, `undefined` where it can't be read or a link is in the way. */
function readInside(root: string, name: string): string | null | undefined {
	const parts = name.split("/");
	if (parts.some((_, n) => quietLstat(join(root, ...parts.slice(0, n + 1)))?.isSymbolicLink())) return undefined;
	const file = readBytes(join(root, name), { follow: false });
	return file.state === "good" ? file.text : file.state === "absent" ? null : undefined;
}

/**
 * The files that lie in this installation's folders `skills` and `agents`, as the user's own folder takes them, by their paths below
 * it. `commands/ccg/NAME.md` is `/ccg:NAME` there, as in the plugin (measured on 2.1.118, 2.1.250 and 2.1.330; a
 * folder `skills/ccg` is not). Throws what the file system says.
 */
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
	return new Map(files.map(([path, text]) => [path, redactSecrets(withLauncher(text, launcher))]));
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
