import { mayBeOption, type ShellWord } from "../shell/shell-word.ts";
import { type OptionForm, readOptions } from "./program-options.ts";

/**
 * What git runs by a repository's configuration: filters, a watcher of files, a hook, another diff, a converter of texts, a
 * checker of signatures, what fetches missing objects, what speaks to remotes; and whether there are submodules, which bring their
 * own.
 */
export type GitProgram =
	| "filter"
	| "monitor"
	| "hook"
	| "diff"
	| "text"
	| "signature"
	| "fetch"
	| "remote"
	| "submodule";

/** A git command that changes nothing, with the programs it would run if they were configured. */
export interface GitReading {
	/** Folders of `-C`, one after the other. */
	folders: ShellWord[];
	runs: GitProgram[];
}

interface Subcommand {
	runs: GitProgram[];
	/** Beginnings of long options it must not be given. */
	not?: string;
	/** A list of what it may be given, instead. */
	form?: OptionForm;
	/** The first word behind it. */
	first?: RegExp;
	/** Words with which operands are patterns to list. */
	lists?: RegExp;
}

const TREE: GitProgram[] = ["filter", "monitor", "hook", "submodule", "fetch"];
const SHOWN: GitProgram[] = ["text", "signature", "fetch", "submodule"];
const DIFF = "output ext-diff textconv remerge-diff diff-merges=r dd";
const REMOTE =
	/^(?:https:\/\/[\w.-]+(?::\d{1,5})?(?:\/[\w.~-]+){1,12}\/?|[A-Za-z][\w.-]*|(?:refs|heads|tags)(?:\/[\w.*-]+)+)$/;
const LISTING =
	"list all remotes verbose contains no-contains merged no-merged points-at sort= format= column no-column color no-color abbrev ignore-case omit-empty";
const shown: Subcommand = { runs: SHOWN, not: `${DIFF} show-signature` };
const plain: Subcommand = { runs: [] };
const objects: Subcommand = { runs: ["fetch"] };

const SUBCOMMANDS: Record<string, Subcommand> = {
	status: { runs: TREE },
	diff: { runs: [...TREE, "diff", "text"], not: DIFF },
	"diff-files": { runs: [...TREE, "diff", "text"], not: DIFF },
	"diff-index": { runs: [...TREE, "diff", "text"], not: DIFF },
	"diff-tree": { runs: ["diff", "text", "fetch", "submodule"], not: DIFF },
	log: shown,
	show: shown,
	whatchanged: shown,
	shortlog: shown,
	cherry: objects,
	"range-diff": { ...shown, runs: [...SHOWN, "diff"] },
	reflog: { ...shown, first: /^(?!(?:expire|delete|drop|write)$)/ },
	"stash list": shown,
	"stash show": { runs: ["diff", "text", "fetch", "signature", "submodule"], not: `${DIFF} show-signature` },
	blame: { runs: [...TREE, "text"], not: "output textconv" },
	annotate: { runs: [...TREE, "text"], not: "output textconv" },
	grep: { runs: ["fetch"], not: "open-files-in-pager textconv" },
	"ls-files": { runs: TREE },
	describe: { runs: TREE },
	"rev-parse": plain,
	"ls-tree": objects,
	"cat-file": { runs: ["fetch", "text", "filter"] },
	"name-rev": objects,
	"merge-base": objects,
	"rev-list": { runs: ["fetch", "signature"] },
	"for-each-ref": { runs: ["fetch", "signature"] },
	fsck: {
		runs: ["fetch"],
		form: {
			flags: "v",
			long: "full no-full dangling no-dangling unreachable connectivity-only no-reflogs strict root tags verbose name-objects progress no-progress references",
		},
	},
	"show-ref": plain,
	"show-branch": objects,
	"count-objects": plain,
	"check-ignore": plain,
	"check-attr": plain,
	"check-ref-format": plain,
	"check-mailmap": plain,
	"verify-pack": plain,
	"patch-id": plain,
	stripspace: plain,
	var: plain,
	version: plain,
	"symbolic-ref": { runs: [], form: { flags: "q", long: "short quiet", operands: 1 } },
	branch: {
		runs: ["fetch", "signature"],
		form: { flags: "arvi", long: `${LISTING} show-current` },
		lists: /^--(?:list|contains|no-contains|merged|no-merged|points-at)$/,
	},
	tag: {
		runs: ["fetch", "signature"],
		form: { flags: "li", valued: "n", long: LISTING },
		lists: /^(?:-[ln]|--(?:list|contains|no-contains|merged|no-merged|points-at))$/,
	},
	remote: { runs: [], form: { flags: "v", long: "verbose", operands: 0 } },
	"remote get-url": { runs: [], form: { long: "all push" } },
	"remote show": { runs: [], form: { flags: "n" }, lists: /^-n$/ },
	// by a name or over https: `ext::` and the like name a program
	"ls-remote": {
		runs: ["remote"],
		form: { long: "heads branches tags refs", operand: ({ text }) => text !== null && REMOTE.test(text) },
	},
	"worktree list": { runs: [], form: { flags: "vz", long: "porcelain verbose expire=" } },
	"sparse-checkout list": plain,
	"submodule status": { runs: TREE, form: { long: "cached recursive" } },
	submodule: { runs: TREE, form: { operands: 0 } },
	"notes list": objects,
	"notes show": shown,
	"bisect log": plain,
};

const CONFIG: OptionForm = {
	flags: "lz",
	valued: "f",
	long: "get get-all get-regexp get-urlmatch list local global system worktree show-origin show-scope name-only null type= file= bool int path includes no-includes default= blob= all regexp value=",
};

/** What a git command reads; `null` when it may change something, or runs what its words name. */
export function gitReading(words: ShellWord[], dashes: boolean | undefined): GitReading | null {
	const folders: ShellWord[] = [];
	let at = 0;
	for (; at < words.length; at++) {
		const text = words[at]!.text;
		if (text === "-C") {
			const folder = words[++at];
			if (!folder || folder.split || folder.several) return null;
			folders.push(folder);
		} else if (text === "-c") {
			if (!HARMLESS_SETTING.test(words[++at]?.text ?? "")) return null;
		} else if (!text || !HARMLESS_GLOBAL.test(text)) break;
	}
	const rest = words.slice(at);
	const [name, second] = [rest[0]?.text, rest[1]?.text];
	if (rest.length === 0) return { folders, runs: [] };
	if (typeof name !== "string") return null;
	if (rest.length === 1 && TELLS.test(name)) return { folders, runs: [] };
	if (name === "config") return isReadingConfig(rest.slice(1), dashes) ? { folders, runs: [] } : null;
	// a viewer of the configuration's
	if (rest.some(({ text }) => text === "--help")) return null;
	const pair = `${name} ${second}`;
	const [key, given] = Object.hasOwn(SUBCOMMANDS, pair) ? [pair, rest.slice(2)] : [name, rest.slice(1)];
	if (!Object.hasOwn(SUBCOMMANDS, key)) {
		// a usage text; not `--help`, which opens a viewer
		return BUILT_IN.test(name) && rest.length === 2 && second === "-h" ? { folders, runs: [] } : null;
	}
	const subcommand = SUBCOMMANDS[key]!;
	return isAllowed(given, subcommand, dashes, key) ? { folders, runs: subcommand.runs } : null;
}

const TELLS = /^(?:--version|-v|--help|-h|help|--exec-path|--html-path|--man-path|--info-path)$/;
const BUILT_IN =
	/^(?:add|am|apply|bisect|branch|checkout|cherry-pick|clean|clone|commit|fetch|gc|init|merge|mv|pull|push|rebase|reset|restore|revert|rm|stash|switch|tag|worktree)$/;
const HARMLESS_GLOBAL =
	/^(?:--no-pager|-P|--no-optional-locks|--(?:no)?literal-pathspecs|--(?:no)?glob-pathspecs|--icase-pathspecs|--no-replace-objects|--no-lazy-fetch|--no-advice)$/;
const HARMLESS_SETTING =
	/^(?:color\.[\w.]+=\w+|core\.quote[pP]ath=\w+|core\.pager=(?:cat)?|pager\.\w+=(?:false|cat)?|advice\.\w+=\w+|log\.\w+Date=\w+|diff\.(?:renames|algorithm|context|noprefix)=\w+)$/;

function isAllowed(
	words: ShellWord[],
	{ not, form, first, lists }: Subcommand,
	dashes: boolean | undefined,
	key: string,
): boolean {
	if (first && words[0] && (words[0].text === null || !first.test(words[0].text))) return false;
	if (form) {
		const given = readOptions(words, form, dashes);
		if (!given) return false;
		return !lists || given.operands.length === 0 || given.options.some((one) => lists.test(one));
	}
	if (!not) return true;
	const named = not.split(" ");
	let isEnd = false;
	return words.every((word) => {
		if (isEnd || word.text === "--") {
			isEnd = true;
			return true;
		}
		if (!mayBeOption(word, dashes)) return true;
		if (word.text === null && !/^--?[a-zA-Z][\w-]*=|^-[SGLnU]./.test(word.start)) return false;
		const option = word.text ?? word.start;
		if (key === "grep" && /^-[^-]*O/.test(option)) return false;
		if (!option.startsWith("--") || FULL.test(option)) return true;
		const [name] = option.slice(2).split("=");
		// git takes abbreviations
		return !named.some((one) => one.startsWith(name!) || option.slice(2).startsWith(one));
	});
}

/** Whole names that begin as one of those that are refused. */
const FULL = /^--(?:text|output-indicator-(?:new|old|context)=.|no-.*|diff-filter=.*|diff-algorithm=.*|open)$/;

function isReadingConfig(words: ShellWord[], dashes: boolean | undefined): boolean {
	const given = readOptions(words, CONFIG, dashes);
	if (!given) return false;
	if (given.options.some((one) => /^(?:-l|--list|--get.*)$/.test(one))) return true;
	const [first] = given.operands;
	if (first?.text === "list" || first?.text === "get") return true;
	// one name is read, a second word would be its new value
	return given.operands.length === 1 && (first!.text?.includes(".") ?? false);
}
