import { readShell, type SimpleCommand } from "../shell/shell-command.ts";
import { isHarmlessSetting } from "../shell/shell-names.ts";
import { known, type ShellWord } from "../shell/shell-word.ts";
import { commandsOfFind } from "./find-expression.ts";
import { type GitProgram, gitReading } from "./git-command.ts";
import { isOwnReading, type Own } from "./own-command.ts";
import { readOptions } from "./program-options.ts";
import { BUILT_IN, BY_FOLDER, FORMS, HELPS, NEEDS, READS_ALWAYS, TELLS } from "./reading-programs.ts";
import { RUNNING } from "./running-programs.ts";
import { SPECIAL } from "./special-programs.ts";
import { SUBCOMMANDS } from "./subcommands.ts";

/** What can be asked of the disk. Where there is nobody to ask, a command is judged by its words alone. */
export interface ShellWorld {
	/** The folder commands begin in. */
	folder: string;
	home: string;
	/** The folder a word leads to from another one; `null` where that can't be told. */
	enter(folder: string, word: string): string | null;
	/** The names in a folder; `null` where they can't be read or are too many. */
	names(folder: string): string[] | null;
	/** What git would run there by its configuration. */
	gitPrograms(folder: string): ReadonlySet<GitProgram>;
	/** Whether a program of that name is found in the workspace. */
	isShadowed(name: string, folder: string): boolean;
	/** The texts of the files of that name in the folder and above it. */
	above(folder: string, name: string): string[];
	/** Whether a variable of that name is in the environment. */
	isSet(name: string): boolean;
	/** Whether the bare name leads to this launcher, or nowhere. */
	isLauncher(name: string): boolean;
}

export interface ShellPlace {
	launcher: string;
	/** The short command, which leads to it. */
	told?: string | undefined;
	own: Own;
	world?: ShellWorld | undefined;
}

/** Whether a shell text changes nothing as far as its words and the place can tell. */
export function isHarmlessShell(text: string, place: ShellPlace): boolean {
	const shell = readShell(text, place.world);
	if (!shell || (shell.commands.length === 0 && text.trim() === "")) return false;
	const judge = new Judge(place);
	return shell.commands.every((command) => judge.command(command));
}

/** Judges the commands of one text in turn. */
class Judge {
	/** Where the shell may be: `null` where that can't be told. */
	private folders: string[] | null;
	/** The command at hand stands in a loop. */
	private isRepeated = false;

	constructor(private readonly place: ShellPlace) {
		this.folders = place.world ? [place.world.folder] : null;
	}

	command({ words, settings, isRepeated }: SimpleCommand): boolean {
		const name = words[0]?.text;
		const isFine = settings.every(
			({ name: variable, value }) =>
				(variable === "CCG_HOME" && value.text !== null && value.text === this.place.own.store) ||
				(isHarmlessSetting(variable, value.text) && (variable !== "IFS" || name === "read")),
		);
		this.isRepeated = isRepeated;
		return isFine && this.words(words);
	}

	/** A file may become an option where one of that name may be. */
	private get dashes(): boolean | undefined {
		const { world } = this.place;
		if (!world) return undefined;
		return this.folders?.some((folder) => world.names(folder)?.some((name) => /^[-+]/.test(name)) ?? true) ?? true;
	}

	private words([first, ...rest]: ShellWord[], depth = 0): boolean {
		const { launcher, told, own, world } = this.place;
		if (!first || depth > 4) return !first;
		if (first.text === null) return false;
		if (first.text === launcher || first.text === told) return isOwnReading(rest, own);
		const name = first.text.replace(/^\/(?:usr\/)?bin\/(?=[\w.-]+$)/, "");
		if (!/^(?:\[|[\w.-]+|:)$/.test(name)) return false;
		if (name === first.text && !BUILT_IN.has(name) && this.isShadowed(name)) return false;
		if (name === "ccg") return (world?.isLauncher(name) ?? true) && isOwnReading(rest, own);
		if (this.isTelling(name, rest)) return true;
		if (/^(?:cd|pushd|popd)$/.test(name)) this.move(rest);
		if (READS_ALWAYS.has(name)) return true;
		if (name === "git") return this.git(rest);
		if (Object.hasOwn(RUNNING, name)) {
			const run = RUNNING[name]!(rest, this.dashes);
			return run !== null && (run.length === 0 || this.words(run, depth + 1));
		}
		if (name === "find" || name === "gfind" || name === "bfs") {
			const commands = commandsOfFind(rest, this.dashes);
			return commands?.every((words) => words.length > 0 && this.words(words, depth + 1)) ?? false;
		}
		if (/^python3?$/.test(name)) return this.python(rest);
		if (Object.hasOwn(SPECIAL, name)) return SPECIAL[name]!(rest, this.dashes);
		if (Object.hasOwn(FORMS, name)) {
			const given = readOptions(rest, FORMS[name]!, this.dashes);
			return given !== null && (!NEEDS[name] || given.options.some((one) => NEEDS[name]!.test(one)));
		}
		return Object.hasOwn(SUBCOMMANDS, name) && this.subcommand(name, rest);
	}

	private isShadowed(name: string): boolean {
		const { world } = this.place;
		return world !== undefined && (this.folders ?? [world.folder]).some((folder) => world.isShadowed(name, folder));
	}

	/** `--version` and the like. */
	private isTelling(name: string, words: ShellWord[]): boolean {
		if (BY_FOLDER[name] && !this.isOrdinary(name)) return false;
		const only = words.length === 1 ? (words[0]!.text ?? "") : "";
		if (TELLS[name]?.test(only) || (BY_FOLDER[name] && /^(?:--version|-V|-v|--help|--list)$/.test(only))) return true;
		// a subcommand's help
		const isHelp = words.length > 1 && words.at(-1)!.text === "--help";
		return (
			isHelp && words.length <= (name === "gh" ? 3 : 2) && HELPS.test(name) && /^[a-z-]+$/.test(words[0]!.text ?? "")
		);
	}

	/** Whether no file of the workspace says which program runs. */
	private isOrdinary(name: string): boolean {
		const { world } = this.place;
		if (!world) return true;
		const { folders } = this;
		if (!folders) return false;
		return !Object.entries(BY_FOLDER[name] ?? {}).some(([file, pattern]) =>
			folders.some((folder) => world.above(folder, file).some((text) => pattern.test(text))),
		);
	}

	private git(words: ShellWord[]): boolean {
		const reading = gitReading(words, this.dashes);
		if (!reading) return false;
		let { folders } = this;
		for (const { text } of reading.folders) {
			const next = folders?.map((folder) => (text === null ? null : this.place.world!.enter(folder, text)));
			folders = next?.every((folder) => folder !== null) ? next : null;
		}
		return this.runsNothing(reading.runs, folders);
	}

	/** Whether git would run none of these there. */
	private runsNothing(programs: GitProgram[], folders = this.folders): boolean {
		const { world } = this.place;
		if (!world || programs.length === 0) return true;
		return folders?.every((folder) => !programs.some((one) => world.gitPrograms(folder).has(one))) ?? false;
	}

	/** `python3 -m json.tool`, where the folder it takes modules from has none. */
	private python([flag, module, ...rest]: ShellWord[]): boolean {
		if (flag?.text !== "-m" || module?.text !== "json.tool" || !readOptions(rest, JSON_TOOL, this.dashes)) return false;
		const { world } = this.place;
		if (!world) return true;
		return (
			this.folders?.every((folder) => {
				const names = world.names(folder);
				return names !== null && !names.some((name) => MODULE.test(name));
			}) ?? false
		);
	}

	private subcommand(name: string, words: ShellWord[]): boolean {
		const [first, second] = words.map(({ text }) => text);
		const all = SUBCOMMANDS[name]!;
		const pair = `${first} ${second}`;
		const [key, rest] = Object.hasOwn(all, pair) ? [pair, words.slice(2)] : [`${first}`, words.slice(1)];
		if (!Object.hasOwn(all, key) || !readOptions(rest, all[key]!, this.dashes)) return false;
		// it asks git for the state of the tree
		if (name === "go" && key === "list" && !this.runsNothing(["filter", "monitor", "hook", "submodule"])) return false;
		return !BY_FOLDER[name] || this.isOrdinary(name);
	}

	/** What a `cd` adds to where the shell may be: it may fail, and stand in a subshell. */
	private move(words: ShellWord[]): void {
		if (!this.folders) return;
		const [to = known(this.place.world?.home ?? ""), ...more] = words.filter(
			({ text }) => !/^-[LP]$|^--$/.test(text ?? ""),
		);
		const isPlain = more.length === 0 && to.text !== null && (!this.isRepeated || to.text.startsWith("/"));
		this.folders = isPlain ? this.entered(this.folders, to.text!) : null;
	}

	/** These folders and those a word leads to from them. */
	private entered(folders: string[], path: string): string[] | null {
		const found = new Set(folders);
		for (const folder of folders) {
			const next = this.place.world!.enter(folder, path);
			if (next === null) return null;
			found.add(next);
		}
		return found.size > 8 ? null : [...found];
	}
}

const JSON_TOOL = { long: "sort-keys no-ensure-ascii indent= tab no-indent compact json-lines", operands: 1 };

/** A file Python could take for a module, or a folder of the name of one that is loaded on the way. */
const MODULE =
	/\.(?:py\w?|so|dylib)$|^(?:json|argparse|re|gettext|locale|os|shutil|textwrap|pathlib|codecs|collections|enum|functools|copyreg|types|keyword|operator|reprlib|fnmatch|struct|warnings|stat|abc|io|contextlib|string|urllib|glob|dataclasses|inspect|ast|dis|token|tokenize|linecache|importlib|weakref|heapq|typing|encodings|runpy|pkgutil|ipaddress|zlib|bz2|lzma|zipfile|threading|_\w+)$/;
