import type * as z from "zod/mini";
import { anyOf } from "../text/acts.ts";
import type { Check } from "./session-state.ts";
import type * as shapes from "./session-state-shape.ts";
import { MAX_COMMAND, partsOf } from "./shell-text.ts";

/** What a program does that a part begins with. `TASK` is how a task's name may go on, `END` that nothing of a name follows. */
const begins = (lines: string): RegExp =>
	anyOf(lines.replaceAll("TASK", "(?:[:.][\\w:.-]*)?END").replaceAll("END", "(?![\\w-])"), "", "^");

function patterns<K extends string>(make: (lines: string) => RegExp, table: Record<K, string>) {
	return (Object.keys(table) as K[]).map((kind) => [kind, make(table[kind])] as const);
}

/** The strongest first. */
const CHECKS = patterns(begins, {
	test: String.raw`
		(vitest|jest|pytest|py\.test|mocha|ava|rspec|phpunit|ctest|tox|nox|bats|ginkgo|playwright test|cypress run)END
		(npm|pnpm|yarn|bun|deno|go|cargo|dotnet|swift|mix|rake|mvn|mise|task|just|make|gradlew?|zig build|rails|php artisan)( run)? (t|tests?|check|nextest)TASK
		(nx|turbo|bazel|sbt|composer|hatch|meson)( run)? (t|tests?|check|nextest)TASK|python[\d.]* (pytest|unittest|\S*manage\.py test|\S*test\w*\.py)\b
		(run[-_]?)?tests?(\.\w+)?(?= |$)
	`,
	build: String.raw`
		(tsc|webpack|rollup|esbuild|tsup|ninja|cmake)END|(vite|cargo|go|dotnet|swift|zig|docker|next|bun|nx|turbo|bazel|hatch) build\b
		mvn (package|install|compile)|gradlew? (build|assemble)|(npm|pnpm|yarn|bun|mise|task|just|make)( run)? (build|compile|bundle|all|install)TASK|make$
	`,
	lint: `
		(eslint|biome|ruff|flake8|golangci-lint|prettier|oxlint|stylelint|shellcheck|mypy|pyright|gofmt)END|go vet|cargo (clippy|fmt)
		(npm|pnpm|yarn|bun|mise|task|just|make)( run)? (lint|fmt|format|typecheck|type-check)TASK
	`,
	run: String.raw`
		(npm|pnpm|yarn|bun)( run)? (start|dev|serve|preview)TASK|(cargo|go|flask|dotnet|deno) run|(uvicorn|gunicorn)\b|rails s(erver)?\b|docker compose up
		python[\d.]* \S+\.py\b|node \S+\.[cm]?[jt]s\b|bun \S+\.[cm]?[jt]sx?\b
	`,
});
const VALUED = / (?:-C|--prefix|--filter|-F|--dir|--cwd|-w|--workspace|--package)[= ]\S+/g;
const OPTION = / --?[\w-]+(?:=\S+)?/g;

/** What kind of proof one program is; `null` for all others. */
function checkOf(program: string): Check["kind"] | null {
	// `./node_modules/.bin/vitest` and `./gradlew` by their names
	const run = program.replace(/^\S*\/(?=[^\s/]+)/, "");
	if (/^node .*--test\b/.test(run)) return "test";
	if (/^tsc .*--noEmit\b/i.test(run)) return "lint";
	if (/^\S+ -c\b|^python[\d.]* -m json/.test(run)) return null;
	const words = run.replace(VALUED, "").replace(OPTION, "");
	return CHECKS.find(([, pattern]) => pattern.test(words))?.[0] ?? null;
}

/** What kind of proof a command is, the strongest of its parts, and whether that part went well where the command did. */
export function checkIn(command: string): { kind: Check["kind"]; isNeeded: boolean } | null {
	const parts = partsOf(command).map(({ run, isNeeded }) => ({ kind: checkOf(run), isNeeded }));
	for (const [kind] of CHECKS) {
		const part = parts.find((one) => one.kind === kind);
		if (part) return { kind, isNeeded: part.isNeeded };
	}
	return null;
}

/** Names by themselves, of a text with white space between them. */
export const named = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Programs that only look: when they find nothing, nothing is left to be mended. */
const LOOKS = named(`
	cd pushd ls ll la cat bat head tail less more grep egrep fgrep zgrep rg ag find fd fdfind which type whereis stat file wc du tree pwd test [
	readlink realpath basename dirname sort uniq cut tr nl column echo printf true
`);
/** Programs that ask whether something is there or differs: 1 is an answer, whatever they print. */
const ASKS = named("ls which type whereis stat find fd test [ diff cmp pgrep grep egrep fgrep zgrep rg ag");
const GIT_ASKS = named("diff grep show-ref rev-parse merge-base check-ignore ls-files ls-remote cat-file");
const PRINTS = named("head tail wc sort uniq cut tr nl echo printf true");

const wordsOf = (run: string): string[] => run.split(" ", 4);
const programOf = (run: string): string => wordsOf(run)[0]!;

/** A part of a command that only looks. */
export function looksOnly(run: string): boolean {
	const [program = "", option] = wordsOf(run);
	return LOOKS.has(program) || (program === "command" && option === "-v") || (program === "sed" && option === "-n");
}

/** A part of a command whose failure is an answer: no. */
export function asks(run: string): boolean {
	const [program = "", what = "", ...more] = wordsOf(run);
	if (program === "git") return GIT_ASKS.has(what);
	if (program === "cd") return what !== "" && more.length === 0;
	return ASKS.has(program) || (program === "command" && what === "-v");
}

/** It asks, or only prints what another gave. */
export const asksOrPrints = (run: string): boolean => asks(run) || PRINTS.has(programOf(run));

export type DeedKind = z.infer<typeof shapes.deedKind>;

/** What a call may do of what summaries report. */
interface PossibleDeeds {
	sure: DeedKind[];
	/** What it may do as well, or instead: nobody can tell from outside. */
	maybe: DeedKind[];
	/** The last sure one is the command's last part, so that the exit code is its own. */
	isLast: boolean;
}

/** Programs that do it and say so. */
const SURE = patterns(begins, {
	commit: "git (commit|cherry-pick|revert)\\b",
	push: "git push\\b",
	deploy: String.raw`
		(fly|flyctl|vercel|netlify|wrangler|railway|serverless|sls|cdk|sam|firebase|surge|now|heroku)\b.*\b(deploy|up)\b|vercel$
		kubectl (apply|rollout|set)\b|helm (upgrade|install)\b|terraform apply\b|pulumi up\b|gcloud\b.*\bdeploy\b|ansible-playbook\b
		(npm|pnpm|yarn|bun|make|just|task|mise)( run)? deploy\b
	`,
});

/** Words by which a command may do it: its own program, or a script, a server or a shell elsewhere. */
const MAYBE = patterns((words) => anyOf(words, "i"), {
	commit: String.raw`
		commit|release|bump|version|rebase|merge|pull|\bam\b|cherry|revert|\bjj\b|\bgt\b|\bsl\b|save|amend|stash|ship|land
	`,
	push: String.raw`push|submit|sync|release|publish|deploy|ship|\bland`,
	deploy: String.raw`
		deploy|release|publish|ship|kubectl|helm|terraform|pulumi|rsync|\bscp\b|\bssh\b|push|merge|argo|docker|\baws\b|gcloud|\baz\b
		sync|upload|\bapply\b
	`,
	test: String.raw`
		test|spec|check|\bci\b|verif|validat|jest|pytest|make|precommit|pre-commit|tox|nox|bats|coverage|cover|qa\b|\ball\b|bench
	`,
});

/** Subcommands of git that only look, and those that make no commit and push nothing; what is neither may be an alias. */
const GIT_LOOKS = named(`
	add blame branch cat-file check-ignore config describe diff diff-tree fetch for-each-ref grep help log ls-files ls-remote ls-tree merge-base
	name-rev range-diff reflog remote rev-list rev-parse shortlog show show-ref status var version --version
`);
const GIT_LOCAL = named("archive bundle clean clone gc init mv notes prune restore rm tag update-index worktree");
const GIT_COMMITS = named("am apply bisect checkout merge pull rebase reset stash submodule switch");

function gitLooks([, act = "", how = ""]: string[]): boolean {
	if (act === "stash") return how === "list" || how === "show";
	if (act === "tag") return how === "" || how === "-l" || how === "--list" || how.startsWith("-n");
	return GIT_LOOKS.has(act);
}

/** They leave no file of the work behind, or none with a name of its own. */
const NO_FILES = named("gh glab sleep wait export set unset cd kill pkill lsof ps");
const INTO_FILE = /(?:^|[^0-9&>=-])(?:\d?>>?|&>)\s*(?!&|\/dev\/null)[^\s&|]/;

function writesFiles([program = "", what = "", ...more]: string[]): boolean {
	if (program === "git") return !["commit", "push", "tag"].includes(what);
	const isQuietFetch = program === "curl" && what.startsWith("-s") && more.length === 1 && more[0]!.startsWith("http");
	return !isQuietFetch && !NO_FILES.has(program);
}

/** Whatever files and folders are called, they do nothing of it. */
const LOCAL = named(`
	rm rmdir mv cp mkdir touch chmod chown ln sed awk jq yq diff tar unzip zip tee gofmt goimports golangci-lint rustc tsc eslint prettier biome ruff
	mypy kill pkill sleep date md5 md5sum shasum export set unset open code lsof ps top df whoami uname env false sha1sum sha256sum sha512sum
`);
const isLocal = (run: string): boolean => LOCAL.has(programOf(run)) || /^go (?!run|generate)\w/.test(run);

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
		const words = wordsOf(run);
		const isGit = words[0] === "git";
		if (looksOnly(run) || (isGit && gitLooks(words))) continue;
		const kinds = sureKinds(run);
		if (kinds.includes("deploy") || (kinds.length === 0 && writesFiles(words))) maybe.add("files");
		// hooks of the repository run with it
		if (kinds.includes("commit")) maybe.add("test");
		for (const kind of kinds) sure.add(kind);
		if (kinds.length) isLast = isEnd;
		else if (!isGit && !isLocal(run)) unsure.push(run);
		else if (isGit && !GIT_LOCAL.has(words[1] ?? "")) {
			maybe.add("commit");
			if (!GIT_COMMITS.has(words[1] ?? "")) maybe.add("push");
		}
	}
	// what is quoted or fed may be run
	const text = ["'", '"', "<<"].some((sign) => command.includes(sign)) ? command : unsure.join("\n");
	if (unsure.length) for (const [kind, words] of MAYBE) if (words.test(text)) maybe.add(kind);
	return { sure: [...sure], maybe: [...maybe], isLast };
}

function sureKinds(run: string): DeedKind[] {
	const isTried = run.includes(" --dry-run") || run.includes(" --help");
	const kinds: DeedKind[] = isTried ? [] : SURE.filter(([, program]) => program.test(run)).map(([kind]) => kind);
	const check = kinds.length ? null : checkOf(run);
	return check === "test" ? ["test"] : check === "build" || check === "lint" ? ["check"] : kinds;
}

/** The tool writes files. */
export const isEdit = (tool: string): boolean => EDITS.includes(tool);
const EDITS = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

/** Claude Code's own tools that do none of it, or whose files are known by their path. */
const OWN_TOOLS = named(`
	AskUserQuestion BashOutput Edit EnterPlanMode ExitPlanMode EnterWorktree ExitWorktree Glob Grep KillBash KillShell LS LSP ListMcpResourcesTool
	MultiEdit NotebookEdit NotebookRead Read ReadMcpResourceTool ScheduleWakeup CronCreate CronDelete CronList SendMessage SendUserFile Skill
	SlashCommand StructuredOutput TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoRead TodoWrite ToolSearch WebFetch WebSearch Write
	AgentOutputTool PushNotification Brief Config
`);
const READING_AGENTS = named("Explore Plan statusline-setup claude-code-guide output-style-setup");
/** Words in the names of servers' tools that only read, and in those that write all the same. */
const READS = named(`
	get list search read fetch query find view describe resolve lookup show screenshot snapshot doc docs
`);
const WRITES = ["push", "create", "merge", "comment"];

/** What a call of another tool may do: anything, but for those that read. A subagent's own calls are in no record. */
export function deedsOfTool(tool: string, input: Record<string, unknown>): PossibleDeeds {
	const name = tool.split("__").at(-1)!.toLowerCase();
	const reads =
		tool === "Agent" || tool === "Task"
			? READING_AGENTS.has(String(input.subagent_type ?? ""))
			: OWN_TOOLS.has(tool) ||
				(name
					.replaceAll("-", "_")
					.split("_")
					.some((word) => READS.has(word)) &&
					!WRITES.some((word) => name.includes(word)));
	return { sure: [], maybe: reads ? [] : ["unseen"], isLast: true };
}
