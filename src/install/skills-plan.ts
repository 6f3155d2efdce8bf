import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { quietLstat } from "../files/quietly.ts";
import { writeText } from "../store/gate.ts";
import { readBytes } from "../store/json-file.ts";
import { shellWord } from "./launcher.ts";
import { type InstallPlan, type InstallRequest, planned, storeOf, toldIn } from "./plan.ts";
import {
	dropReceipt,
	type FileReceipt,
	isLeft,
	keepReceipt,
	madeFor,
	readReceipt,
	receiptFolder,
	withBytes,
} from "./receipt.ts";
import { claudeFolder, realTarget } from "./settings-path.ts";

/**
 * The change of the user's slash commands, skills and agent: files that are ccg's whole. Any other bytes are the user's, and so is
 * what lies behind a link. Writes nothing. Throws `NO_HOME` and what the file system says.
 */
export async function planSkills(kind: InstallPlan["kind"], request: InstallRequest): Promise<InstallPlan> {
	const path = claudeFolder(request.env, request.cwd);
	const root = realTarget(path);
	const folder = receiptFolder(storeOf(request), root);
	const brought =
		kind === "install" ? skillFiles(toldIn(request), request.from ?? dirname(dirname(request.launcher))) : [];
	const wanted = new Map(brought.map(({ path: name, text }) => [name, text]));
	const look = (files: readonly FileReceipt[]) => {
		const known = new Map(files.map((file) => [file.path.slice(root.length + 1), file]));
		return [...new Set([...wanted.keys(), ...known.keys()])]
			.filter((name) => SKILL.test(name))
			.map((name) => {
				const read = readInside(root, name);
				const after = wanted.get(name) ?? null;
				const isOurs = read === null || read === after || (read !== undefined && isLeft(known.get(name), read));
				return { name, before: read ?? null, after, isOurs };
			});
	};
	const found = look(readReceipt(folder).files);
	return planned(request, {
		kind,
		path,
		before: null,
		changes: found.filter(({ isOurs }) => isOurs).map(({ name, ...texts }) => ({ path: join(path, name), ...texts })),
		notes: found
			.filter(({ isOurs }) => !isOurs)
			.map(
				({ name }) => `Warning: ${join(path, name)} stays as it is: it is not ccg's, was edited since, or is a link.`,
			),
		shown: (text) => text,
		act: async () => {
			const { files } = readReceipt(folder);
			const changes = look(files).filter(({ isOurs, before, after }) => isOurs && before !== after);
			if (changes.length === 0) return false;
			const all = new Map(files.map((file) => [file.path, file]));
			for (const { name, after } of changes) {
				const path = join(root, name);
				if (after !== null) all.set(path, withBytes(all.get(path) ?? { path, before: null, after: [] }, after));
			}
			if (kind === "install") keepReceipt(folder, { made: madeFor(folder, [...all.keys()]), files: [...all.values()] });
			for (const { name, after } of changes)
				if (after === null) rmSync(join(root, name), { force: true });
				else writeText(join(root, name), after);
			if (kind === "uninstall") dropReceipt(folder);
			return true;
		},
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
function skillFiles(launcher: string, root: string): { path: string; text: string }[] {
	const files = (folder: string, path: (name: string) => string, file: (name: string) => string) =>
		readdirSync(join(root, folder))
			.sort()
			.map((name) => ({ path: path(name), text: readFileSync(join(root, folder, file(name)), "utf8") }));
	const skills = files(
		"skills",
		(name) => `commands/ccg/${name}.md`,
		(name) => join(name, "SKILL.md"),
	);
	// the folder and the file's name give it
	for (const skill of skills) skill.text = skill.text.replace(/^name: .*\n/m, "");
	const agents = files(
		"agents",
		(name) => `agents/${name}`,
		(name) => name,
	);
	return [...skills, ...agents].map(({ path, text }) => ({ path, text: redactSecrets(withLauncher(text, launcher)) }));
}

/** `ccg` becomes the launcher's path in commands: between backticks, in code, in a grant; not in the description, which costs context. */
function withLauncher(text: string, launcher: string): string {
	const word = shellWord(launcher);
	return text
		.split("\n")
		.filter((line) => canGrant(launcher) || !line.startsWith("allowed-tools:"))
		.map((line) =>
			line.startsWith("description:")
				? line
				: line.replace(/(^ {4,}|[`(])ccg(?= [a-z])/g, (_, before: string) => before + word),
		)
		.join("\n");
}

/** Whether the grants can name this launcher: a rule in the front matter knows no quotes. */
export const canGrant = (launcher: string): boolean => shellWord(launcher) === launcher;
