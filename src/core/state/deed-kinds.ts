import type * as z from "zod/mini";
import { checkOf } from "./commands.ts";
import type * as shapes from "./session-state-shape.ts";
import { MAX_COMMAND, partsOf } from "./shell-text.ts";
import { looksOnly } from "./slips.ts";

export type DeedKind = z.infer<typeof shapes.deedKind>;

/** What a call may do of what summaries report. */
interface PossibleDeeds {
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

/** Subcommands of git that only look, and those that make no commit and push nothing; what is neither may be an alias. */
const GIT_LOOKS = new Set(
	`add blame branch cat-file check-ignore config describe diff diff-tree fetch for-each-ref grep help log
	ls-files ls-remote ls-tree merge-base name-rev range-diff reflog remote rev-list rev-parse shortlog show
	show-ref status var version --version`.split(/\s+/),
);
const GIT_LOCAL = new Set(
	"archive bundle clean clone gc init mv notes prune restore rm tag update-index worktree".split(" "),
);
const GIT_COMMITS = new Set("am apply bisect checkout merge pull rebase reset stash submodule switch".split(" "));
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
	const unsure: string[] = [];
	let isLast = false;
	for (const { text, run, isEnd } of partsOf(command)) {
		if (INTO_FILE.test(text)) maybe.add("files");
		if (looksOnly(run) || gitLooks(run)) continue;
		const kinds = sureKinds(run);
		for (const kind of kinds) sure.add(kind);
		if (kinds.length) isLast = isEnd;
		if (kinds.includes("deploy") || (kinds.length === 0 && !NO_FILES.test(run))) maybe.add("files");
		// hooks of the repository run with it
		if (kinds.includes("commit")) maybe.add("test");
		if (kinds.length) continue;
		const [program, what = ""] = run.split(" ", 2);
		if (program !== "git") {
			if (!isLocal(run)) unsure.push(run);
		} else if (!GIT_LOCAL.has(what)) {
			maybe.add("commit");
			if (!GIT_COMMITS.has(what)) maybe.add("push");
		}
	}
	// what is quoted or fed may be run
	const text = /['"]|<</.test(command) ? command : unsure.join("\n");
	if (unsure.length) for (const [kind, words] of MAYBE) if (words.test(text)) maybe.add(kind);
	return { sure: [...sure], maybe: [...maybe], isLast };
}

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
/** Names of servers' tools that only read. */
const READS =
	/(?:^|_|-)(?:get|list|search|read|fetch|query|find|view|describe|resolve|lookup|show|screenshot|snapshot|docs?)(?:_|-|$)/i;

/** What a call of another tool may do: anything, but for those that read. A subagent's own calls are in no record. */
export function deedsOfTool(tool: string, input: Record<string, unknown>): PossibleDeeds {
	const isAgent = tool === "Agent" || tool === "Task";
	const name = tool.split("__").at(-1)!;
	const reads = isAgent
		? READING_AGENTS.test(String(input.subagent_type ?? ""))
		: OWN_TOOLS.has(tool) || (READS.test(name) && !/push|create|merge|comment/i.test(name));
	return { sure: [], maybe: reads ? [] : ["unseen"], isLast: true };
}
