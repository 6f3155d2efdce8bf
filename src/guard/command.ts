import { existsSync, readdirSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { readShell } from "../core/text/read-shell.ts";
import { literal, open, type ShellCommand, type Word } from "../core/text/shell-words.ts";
import { isWithin, realPath } from "../files/real-path.ts";
import { toldLauncher } from "../store/app-folder.ts";
import type { Env } from "../store/paths.ts";
import { LANGUAGES } from "./languages.ts";
import { mayBeOption, readsOnly } from "./programs.ts";
import { isPlainRepository } from "./repository.ts";

/** Where a command begins. */
export interface Place {
	folder: string;
	env: Env;
	launcher: string;
	/** The root of ccg's store. */
	store: string;
	session: string;
}

const MAX_CHARS = 32_768;
const MAX_WORDS = 1_000;
const MAX_DEPTH = 4;
const MAX_FOLDERS = 8;

/** Whether a shell text changes nothing, as far as the table knows and the disk tells. */
export function isHarmlessCommand(text: string, place: Place): boolean {
	if (text.length > MAX_CHARS) return false;
	const { commands, isOdd } = readShell(text);
	const count = commands.reduce((sum, { words }) => sum + words.length, 0);
	return !isOdd && commands.length > 0 && count <= MAX_WORDS && new Judge(commands, place).isHarmless();
}

/** A command without the grammar around it. */
interface Plain {
	/** `name=…` before it, or by themselves. */
	settings: Word[];
	words: Word[];
	redirections: ShellCommand["redirections"];
}

const OPENING = ["if", "then", "elif", "else", "while", "until", "do", "!", "{"];
const CLOSING = ["fi", "done", "}"];
const SETTING = /^([A-Za-z_]\w*)=/;

function plainOf({ words, redirections }: ShellCommand): Plain {
	const first = words.findIndex(({ text }) => !OPENING.includes(text ?? ""));
	const all = first < 0 ? [] : words.slice(first);
	const rest = all.length === 1 && CLOSING.includes(all[0]!.text ?? "") ? [] : all;
	const program = rest.findIndex(({ start }) => !SETTING.test(start));
	const settings = program < 0 ? rest : rest.slice(0, program);
	return { settings, words: rest.slice(settings.length), redirections };
}

/** Judges all commands of one text, each for itself: it does not matter which of them is run, and how often. */
class Judge {
	private commands: Plain[];
	/** Where the shell may be: `null` where that can't be told. */
	private folders: string[] | null;

	constructor(
		commands: ShellCommand[],
		private readonly place: Place,
	) {
		this.folders = [place.folder];
		this.commands = commands.map(plainOf);
		const isLooped = commands.some(({ words }) =>
			words.some(({ text }) => ["for", "while", "until"].includes(text ?? "")),
		);
		for (const { words } of this.commands) if (words[0]?.text === "cd") this.enter(words, isLooped);
	}

	/** Notes where a `cd` leads. */
	private enter([, to, ...more]: Word[], isLooped: boolean): void {
		const text = to ? to.text : (this.place.env.HOME ?? null);
		const isFollowed = text !== null && more.length === 0 && (!isLooped || text.startsWith("/"));
		this.folders = this.folders && isFollowed ? entered(this.place, this.folders, text) : null;
	}

	private hasDashes = (): boolean => hasDashes(this.folders);

	isHarmless(): boolean {
		return this.commands.every((command) => this.command(command));
	}

	private command({ settings, words, redirections }: Plain): boolean {
		if (!redirections.every(isReading)) return false;
		const [name, ...rest] = words.map(({ text }) => text ?? "");
		const mayBeSet = (variable: string): boolean => isFree(this.place, variable);
		if (name === undefined) return settings.every(({ start }) => mayBeSet(SETTING.exec(start)![1]!));
		if (!settings.every(({ text }) => text !== null && this.isHarmlessSetting(text, name))) return false;
		if (name === "for") return mayBeSet(rest[0] ?? "") && (rest.length === 1 || rest[1] === "in");
		if ((name === "read" || name === "unset") && !rest.every((word) => word.startsWith("-") || mayBeSet(word)))
			return false;
		return this.program(words);
	}

	private isHarmlessSetting(text: string, program: string): boolean {
		return (
			HARMLESS_SETTING.test(text) || (text === "IFS=" && program === "read") || text === `CCG_HOME=${this.place.store}`
		);
	}

	/** `depth`: so many programs have led to this one. */
	private program([first, ...rest]: Word[], depth = 0): boolean {
		if (typeof first?.text !== "string" || depth > MAX_DEPTH) return false;
		if (isOwn(this.place, first.text)) return this.own(rest);
		const name = first.text.replace(/^\/(?:usr\/)?bin\/(?=[\w.-]+$)/, "");
		if (name === "ccg" || (name === first.text && isShadowed(this.place, name, this.folders))) return false;
		// where it leads was not noted
		if (name === "cd" && depth > 0) return false;
		if (name === "git") return this.git(rest);
		if (Object.hasOwn(RUNNING, name)) return this.running(name, rest, depth);
		if (readsOnly([literal(name), ...rest], this.hasDashes) === true) return true;
		return Object.hasOwn(LANGUAGES, name) && LANGUAGES[name]!(rest, (word) => mayBeOption(word, this.hasDashes));
	}

	/** A program that runs the command in its words. */
	private running(name: string, words: Word[], depth: number): boolean {
		const first = words.findIndex(({ text }) => text === null || !RUNNING[name]!.test(text));
		const run = first < 0 ? [] : words.slice(first);
		if (name === "command" && ["-v", "-V"].includes(run[0]?.text ?? "")) return true;
		if (name === "xargs")
			return this.program([...(run.length > 0 ? run : [literal("echo")]), open("", true)], depth + 1);
		return this.program(run, depth + 1);
	}

	private git(words: Word[]): boolean {
		let { folders } = this;
		let at = 0;
		for (; at < words.length; at++) {
			const text = words[at]!.text ?? "";
			if (text === "-C") {
				const to = words[++at]?.text;
				folders = folders && typeof to === "string" ? ledTo(this.place, folders, to) : null;
			} else if (text === "-c") {
				if (!HARMLESS_GIT.test(words[++at]?.text ?? "")) return false;
			} else if (!["--no-pager", "-P", "--no-optional-locks"].includes(text)) break;
		}
		// a viewer of the configuration's
		if (words.some(({ text }) => text === "--help")) return false;
		const found = readsOnly([literal("git"), ...words.slice(at)], this.hasDashes);
		return found === "by git"
			? (folders?.every((folder) => isPlainRepository(folder, this.place.env)) ?? false)
			: found;
	}

	/** What ccg saves is of this session. */
	private own(words: Word[]): boolean {
		const { session } = this.place;
		const isOwnSession = words.every(({ text, start }, i) => {
			if (text === "--session") return words[i + 1]?.text === session;
			return !start.startsWith("--session=") || text === `--session=${session}`;
		});
		const isSaving = ["task", "checkpoint"].includes(words[0]?.text ?? "");
		return (isOwnSession || !isSaving) && readsOnly([literal("ccg"), ...words], () => true) === true;
	}
}

function isReading({ operator, target }: ShellCommand["redirections"][number]): boolean {
	if (target === null || operator === "<<<") return true;
	const text = target.text ?? "";
	// bash opens a connection
	if (operator === "<") return text !== "" && !/^\/+dev\/+(?:tcp|udp)\b/.test(text);
	if (["<&", ">&"].includes(operator) && text.length === 1 && "0123456789-".includes(text)) return true;
	return !["<&", "<>"].includes(operator) && ["/dev/null", "/dev/stdout", "/dev/stderr"].includes(text);
}

/** Variables for one command that say how it prints. */
const HARMLESS_SETTING =
	/^(?:(?:LC_[A-Z]+|LANG|TZ|COLUMNS|NO_COLOR|FORCE_COLOR|GIT_OPTIONAL_LOCKS)=[\w.,:@+-]*(?:\/[\w+-]+)*|(?:GIT_|MAN|GH_)?PAGER=(?:cat)?)$/;

const HARMLESS_GIT =
	/^(?:color\.[\w.]+=\w+|core\.quote[pP]ath=\w+|core\.pager=(?:cat)?|pager\.\w+=(?:false|cat)?|log\.\w+Date=\w+|diff\.(?:renames|context)=\w+)$/;

/** Programs that run the command in their words, and what may stand before it. */
const RUNNING: Record<string, RegExp> = {
	command: /^$/,
	time: /^-[pl]$/,
	timeout: /^[\d.]+[smh]?$/,
	xargs: /^(?:-(?:0|r|t|0r|r0)|-[nPL]\d*|\d+)$/,
};

/** PATH as the agent's shell has it: ccg's launcher takes the places in the workspace out of its own. */
const pathOf = ({ env }: Place): string[] => (env.CCG_SHELL_PATH ?? env.PATH ?? "").split(":");

/** Whether the word starts this ccg: a path of it, or the name where that leads to it or to nothing. */
function isOwn(place: Place, word: string): boolean {
	const { launcher, store } = place;
	if (word !== "ccg") return word === launcher || word === toldLauncher(launcher, store);
	const found = pathOf(place).find((folder) => !isAbsolute(folder) || existsSync(join(folder, "ccg")));
	return found === undefined || (isAbsolute(found) && realPath(join(found, "ccg")) === realPath(launcher));
}

/** Whether the workspace has a program of that name in a folder of PATH. */
function isShadowed(place: Place, name: string, folders: string[] | null): boolean {
	const workspace = realPath(place.env.CLAUDE_PROJECT_DIR ?? place.folder);
	return pathOf(place).some((folder) => {
		if (isAbsolute(folder)) return isWithin(realPath(folder), workspace) && existsSync(join(folder, name));
		return folders?.some((at) => existsSync(join(at, folder, name))) ?? true;
	});
}

/** These folders and those a `cd` leads to from them; `null` where that can't be told. */
function entered(place: Place, folders: string[], word: string): string[] | null {
	const led = ledTo(place, folders, word);
	const all = led && [...new Set([...folders, ...led])];
	return all && all.length <= MAX_FOLDERS ? all : null;
}

/** Where a word leads to from each of them. */
function ledTo({ env }: Place, folders: string[], word: string): string[] | null {
	// the folder before; a name alone may be looked for elsewhere
	if (word === "" || "-+".includes(word[0]!) || (env.CDPATH && !/^(?:\/|\.\.?(?:\/|$))/.test(word))) return null;
	const led = folders.map((folder) => resolve(folder, word));
	// behind a link the way up leads elsewhere for programs than for the shell
	const isSame = (to: string, i: number): boolean =>
		isAbsolute(word) ? !word.includes("..") : realPath(`${folders[i]}/${word}`) === realPath(to);
	return led.every(isSame) ? led : null;
}

/** Whether a file in one of the folders has a name that begins as options do. */
function hasDashes(folders: string[] | null): boolean {
	try {
		return folders?.some((folder) => readdirSync(folder).some((name) => "-+".includes(name[0]!))) ?? true;
	} catch {
		return true;
	}
}

/** Whether a text may set the variable: shells, programs and the environment take nothing from such a name. */
const isFree = ({ env }: Place, name: string): boolean =>
	/^(?:[a-z][a-z\d_]{0,15}|[A-Z])$/.test(name) &&
	!/path$|_(?:proxy|functions)$|_config|^(?:npm_|zsh|dis_|history|job|prompt)/.test(name) &&
	!OF_ZSH.has(name) &&
	env[name] === undefined;

const OF_ZSH = new Set(
	(
		"fignore psvar histchars status pipestatus argv signals watch options functions aliases saliases galiases commands " +
		"parameters modules builtins reswords nameddirs userdirs dirstack keymaps widgets auto_resume"
	).split(" "),
);
