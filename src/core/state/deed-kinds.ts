import type * as z from "zod/mini";
import { checkOf } from "./commands.ts";
import type * as shapes from "./session-state-shape.ts";
import { MAX_COMMAND, partsOf } from "./shell-text.ts";
import { looksOnly } from "./slips.ts";

export type DeedKind = z.infer<typeof shapes.deedKind>;

/** What a call may do of what summaries report. */
export interface PossibleDeeds {
	/** What the call is made for. */
	sure: DeedKind[];
	/** What it may do as well, or instead: nobody can tell from outside. */
	maybe: DeedKind[];
	/** The last sure one is the command's last part, so that the exit code is its own. */
	isLast: boolean;
}

/** Programs that do one of these things and say so. */
const SURE: [DeedKind, RegExp][] = [
	["commit", /^git (?:commit|cherry-pick|revert)\b/],
	["push", /^git push\b/],
	[
		"deploy",
		/^(?:(?:fly|flyctl|vercel|netlify|wrangler|railway|serverless|sls|cdk|sam|firebase|surge|now|heroku)\b.*\b(?:deploy|up|--prod)\b|vercel$|kubectl (?:apply|rollout|set)\b|helm (?:upgrade|install)\b|terraform apply\b|pulumi up\b|gcloud\b.*\bdeploy\b|ansible-playbook\b|(?:npm|pnpm|yarn|bun|make|just|task|mise)(?: run)? deploy\b)/,
	],
];

/** Words in a command by which it may do it: its own program, or a script, a server or a shell elsewhere. */
const MAYBE: [DeedKind, RegExp][] = [
	[
		"commit",
		/commit|release|bump|version|rebase|merge|pull|\bam\b|cherry|revert|\bjj\b|\bgt\b|\bsl\b|save|amend|stash|ship|land/i,
	],
	["push", /push|submit|sync|release|publish|deploy|ship|\bland/i],
	[
		"deploy",
		/deploy|release|publish|ship|kubectl|helm|terraform|pulumi|rsync|\bscp\b|\bssh\b|push|merge|argo|docker|\baws\b|gcloud|\baz\b|sync|upload|\bapply\b/i,
	],
	[
		"test",
		/test|spec|check|\bci\b|verif|validat|jest|pytest|make|precommit|pre-commit|tox|nox|bats|coverage|cover|qa\b|\ball\b|bench/i,
	],
];

/** Programs that run what they are told: a text, a script, a command on another machine. */
const RUNS =
	/^(?:bash|sh|zsh|fish|dash|eval|source|\.|exec|ssh|xargs|parallel|python[\d.]*|node|deno|bun|ruby|perl|php|expect|docker|podman|kubectl|tmux|screen|osascript|env|nohup|setsid|timeout|watch|find|\S*\.(?:sh|py|rb|pl|js|ts|mjs)|\.{0,2}\/\S+)(?: |$)/;
/** Known subcommands of git; others are somebody's alias. */
const GIT_CHANGES = new Set(
	`am annotate apply archive bisect bundle checkout cherry cherry-pick clean clone commit count-objects
	format-patch fsck gc hash-object init merge merge-tree mv notes prune pull push read-tree rebase reset
	restore revert rm sparse-checkout stash submodule switch symbolic-ref tag update-index update-ref
	verify-commit worktree write-tree`.split(/\s+/),
);
const GIT_LOOKS = new Set(
	`add blame branch cat-file check-ignore config describe diff diff-tree fetch for-each-ref grep help log
	ls-files ls-remote ls-tree merge-base name-rev range-diff reflog remote rev-list rev-parse shortlog show
	show-ref status var version --version`.split(/\s+/),
);
const gitLooks = (run: string): boolean =>
	run.startsWith("git ") &&
	(GIT_LOOKS.has(run.split(" ", 2)[1]!) || /^git (?:stash (?:list|show)\b|tag(?: -l\b| --list\b| -n|$))/.test(run));
/** They leave no file of the work behind, or none with a name of its own. */
const NO_FILES =
	/^(?:git (?:commit|push|tag)|gh|glab|sleep|wait|export|set|unset|cd|kill|pkill|lsof|ps|curl -s\S* http\S*$)(?: |$)/;
const INTO_FILE = /(?:^|[^0-9&>=-])(?:\d?>>?|&>)\s*(?!&|\/dev\/null)[^\s&|]/;

/** What a shell command may do. */
export function deedsOfCommand(command: string): PossibleDeeds {
	// what is longer may do anything
	if (command.length > MAX_COMMAND) return { sure: [], maybe: ["unseen"], isLast: false };
	const sure = new Set<DeedKind>();
	const maybe = new Set<DeedKind>();
	let isLast = false;
	let ofWhole: DeedKind[] | undefined;
	for (const { text, run, isEnd } of partsOf(command)) {
		if (INTO_FILE.test(text)) maybe.add("files");
		if (looksOnly(run) || gitLooks(run)) continue;
		const kinds = sureKinds(run);
		for (const kind of kinds) sure.add(kind);
		if (kinds.length) isLast = isEnd;
		if (kinds.includes("deploy") || (kinds.length === 0 && !NO_FILES.test(run))) maybe.add("files");
		// hooks of the repository run with it
		if (kinds.includes("commit")) maybe.add("test");
		if (kinds.length || isLocal(run)) continue;
		// the whole command is looked at once, however many of its parts run something
		const runs = RUNS.test(run);
		if (runs) ofWhole ??= maybeKinds(command);
		const may = run.startsWith("git ") ? ofGit(run) : runs ? ofWhole! : maybeKinds(run.slice(0, 4_000));
		for (const kind of may) maybe.add(kind);
	}
	return { sure: [...sure], maybe: [...maybe], isLast };
}
const maybeKinds = (text: string): DeedKind[] => MAYBE.flatMap(([kind, words]) => (words.test(text) ? [kind] : []));

/** An alias may do anything; a rebase makes commits. */
const ofGit = (run: string): DeedKind[] =>
	!GIT_CHANGES.has(run.split(" ", 2)[1]!) ? OF_GIT : GIT_COMMITS.test(run) ? ["commit"] : [];
const OF_GIT: DeedKind[] = ["commit", "push"];
const GIT_COMMITS = /^git (?:am|apply|checkout|merge|pull|rebase|reset|stash|submodule|switch|fetch|bisect)\b/;
/** Whatever files and folders are called, they do nothing of it. */
const LOCAL = new Set(
	`rm rmdir mv cp mkdir touch chmod chown ln sed awk jq yq diff tar unzip zip tee gofmt goimports
	golangci-lint rustc tsc eslint prettier biome ruff mypy kill pkill sleep date md5 md5sum shasum export
	set unset open code lsof ps top df whoami uname env false sha1sum sha256sum sha512sum`.split(/\s+/),
);
const isLocal = (run: string): boolean => LOCAL.has(run.split(" ", 1)[0]!) || /^go (?!run|generate)\w/.test(run);

function sureKinds(run: string): DeedKind[] {
	const isTried = / (?:--dry-run|--help)\b/.test(run);
	const kinds = isTried ? [] : SURE.flatMap(([kind, pattern]) => (pattern.test(run) ? [kind] : []));
	const check = kinds.length ? null : checkOf(run);
	return check === "test" ? ["test"] : check === "build" || check === "lint" ? ["check"] : kinds;
}

/** Claude Code's own tools that do none of it, or whose files are known by their path. */
const OWN_TOOLS = new Set(
	"AskUserQuestion BashOutput Edit EnterPlanMode ExitPlanMode EnterWorktree ExitWorktree Glob Grep KillBash KillShell LS LSP ListMcpResourcesTool MultiEdit NotebookEdit NotebookRead Read ReadMcpResourceTool ScheduleWakeup CronCreate CronDelete CronList SendMessage SendUserFile Skill SlashCommand StructuredOutput TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoRead TodoWrite ToolSearch WebFetch WebSearch Write AgentOutputTool PushNotification Brief Config".split(
		" ",
	),
);
const READING_AGENTS = /^(?:Explore|Plan|statusline-setup|claude-code-guide|output-style-setup)$/;
/** Servers that work on repositories, machines or files. */
const RUNS_ANYTHING =
	/git|hub|lab|bucket|desktop|shell|term|command|exec|run|ssh|process|file|code|editor|ide|docker|agent|task|repl|python|script|computer|deploy|vercel|cloud/i;
/** Names of servers' tools that only read. */
const READS =
	/(?:^|_|-)(?:get|list|search|read|fetch|query|find|view|describe|resolve|lookup|show|screenshot|snapshot|docs?)(?:_|-|$)/i;

/** What a call of another tool may do. A subagent's own calls are in no record. */
export function deedsOfTool(tool: string, input: Record<string, unknown>): PossibleDeeds {
	const none = { sure: [], isLast: true };
	if (OWN_TOOLS.has(tool)) return { ...none, maybe: [] };
	if (tool === "Agent" || tool === "Task")
		return { ...none, maybe: READING_AGENTS.test(String(input.subagent_type ?? "")) ? [] : ["unseen"] };
	const name = tool.split("__").at(-1)!;
	if (READS.test(name) && !/push|create|merge|comment/i.test(name)) return { ...none, maybe: [] };
	if (!tool.startsWith("mcp__") || RUNS_ANYTHING.test(tool)) return { ...none, maybe: ["unseen"] };
	return { ...none, maybe: maybeKinds(name.replaceAll("_", " ")) };
}
