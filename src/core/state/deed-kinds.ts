import type * as z from "zod/mini";
import { checkKind } from "./commands.ts";
import type * as shapes from "./session-state-shape.ts";
import { withoutQuotes } from "./shell-text.ts";
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

/** What is looked at of a command; what is longer may do anything. */
const MAX_COMMAND = 64 * 1024;

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
const GIT =
	/^git (?:add|am|annotate|apply|archive|bisect|blame|branch|bundle|cat-file|check-ignore|checkout|cherry|cherry-pick|clean|clone|commit|config|count-objects|describe|diff|diff-tree|fetch|for-each-ref|format-patch|fsck|gc|grep|hash-object|help|init|log|ls-files|ls-remote|ls-tree|merge|merge-base|merge-tree|mv|name-rev|notes|prune|pull|push|range-diff|read-tree|rebase|reflog|remote|reset|restore|rev-list|rev-parse|revert|rm|shortlog|show|show-ref|sparse-checkout|stash|status|submodule|switch|symbolic-ref|tag|update-index|update-ref|var|verify-commit|version|worktree|write-tree|--version)\b/;
const GIT_LOOKS =
	/^git (?:add|blame|branch|cat-file|check-ignore|config|describe|diff|diff-tree|fetch|for-each-ref|grep|help|log|ls-files|ls-remote|ls-tree|merge-base|name-rev|range-diff|reflog|remote|rev-list|rev-parse|shortlog|show|show-ref|status|var|version|--version|stash (?:list|show)|tag(?: -l| --list|$)|tag -n)\b/;
/** They leave no file of the work behind, or none with a name of its own. */
const NO_FILES =
	/^(?:git (?:commit|push|tag)|gh|glab|sleep|wait|export|set|unset|cd|kill|pkill|lsof|ps|curl -s\S* http\S*$)(?: |$)/;
const INTO_FILE = /(?:^|[^0-9&>=-])(?:\d?>>?|&>)\s*(?!&|\/dev\/null)[^\s&|]/;
const PREFIX = /^(?:(?:[A-Za-z_]\w*=\S*|time|sudo|command|nice|npx|bunx|then|do|else|if|!|\(|\{) )/;
const GIT_OPTION = /^git (?:-C \S+|-c \S+|--no-pager|--git-dir\S*|--work-tree\S*) /;

/** What a shell command may do. */
export function deedsOfCommand(command: string): PossibleDeeds {
	if (command.length > MAX_COMMAND) return { sure: [], maybe: ["unseen"], isLast: false };
	const bare = withoutQuotes(command);
	const sure = new Set<DeedKind>();
	const maybe = new Set<DeedKind>();
	let isLast = false;
	let ofWhole: DeedKind[] | undefined;
	for (const [part, isEnd] of partsOf(bare)) {
		const run = programOf(part);
		if (run === "") continue;
		if (INTO_FILE.test(part)) maybe.add("files");
		if (looksOnly(run) || GIT_LOOKS.test(run)) continue;
		const kinds = sureKinds(run);
		for (const kind of kinds) sure.add(kind);
		if (kinds.length) isLast = isEnd;
		if (kinds.length) {
			if (kinds.includes("deploy")) maybe.add("files");
			// hooks of the repository run with it
			if (kinds.includes("commit")) maybe.add("test");
			continue;
		}
		if (!NO_FILES.test(run)) maybe.add("files");
		if (run.startsWith("git ")) for (const kind of ofGit(run)) maybe.add(kind);
		else if (!LOCAL.test(run)) {
			// the whole command is looked at once, however many of its parts run something
			const runs = RUNS.test(run);
			if (runs) ofWhole ??= maybeKinds(command);
			for (const kind of runs ? ofWhole! : maybeKinds(run.slice(0, 4_000))) maybe.add(kind);
		}
	}
	return { sure: [...sure], maybe: [...maybe], isLast };
}
const maybeKinds = (text: string): DeedKind[] => MAYBE.flatMap(([kind, words]) => (words.test(text) ? [kind] : []));

/** An alias may do anything; a rebase makes commits. */
const ofGit = (run: string): DeedKind[] => (!GIT.test(run) ? OF_GIT : GIT_COMMITS.test(run) ? ["commit"] : []);
const OF_GIT: DeedKind[] = ["commit", "push"];
const GIT_COMMITS = /^git (?:am|apply|checkout|merge|pull|rebase|reset|stash|submodule|switch|fetch|bisect)\b/;
/** Whatever files and folders are called, they do nothing of it. */
const LOCAL =
	/^(?:rm|rmdir|mv|cp|mkdir|touch|chmod|chown|ln|sed|awk|jq|yq|diff|tar|unzip|zip|tee|go (?!run|generate)\w+|gofmt|goimports|golangci-lint|rustc|tsc|eslint|prettier|biome|ruff|mypy|kill|pkill|sleep|date|md5|md5sum|sha\d*sum|shasum|export|set|unset|open|code|lsof|ps|top|df|whoami|uname|env|false)(?= |$)/;

/** The parts of a command, and whether its exit code is that part's: `&&` before and nothing behind. */
function* partsOf(bare: string): Generator<[string, boolean]> {
	const pieces = bare.replaceAll("\\\n", " ").split(/(&&|\|\||[;|\n])/);
	let last = pieces.length - 1;
	while (last > 0 && !pieces[last]!.trim()) last -= 2;
	for (let i = 0; i < pieces.length; i += 2) yield [pieces[i]!.trim(), i === last];
}

function programOf(part: string): string {
	let run = part.replace(/\s+/g, " ");
	for (let n = 0; n < 8 && PREFIX.test(run); n++) run = run.replace(PREFIX, "");
	for (let n = 0; n < 4 && GIT_OPTION.test(run); n++) run = run.replace(GIT_OPTION, "git ");
	return run;
}

function sureKinds(run: string): DeedKind[] {
	const kinds = SURE.flatMap(([kind, pattern]) =>
		pattern.test(run) && !/ (?:--dry-run|--help)\b/.test(run) ? [kind] : [],
	);
	const check = kinds.length ? null : checkKind(run);
	if (check === "test") kinds.push("test");
	else if (check === "build" || check === "lint") kinds.push("check");
	return kinds;
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
