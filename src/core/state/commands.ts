import { cut, oneLine, safeText } from "../text/text.ts";
import type { EventOf } from "../transcript/event.ts";
import { type Check, keepLast, type OpenCall, type SessionState } from "./session-state.ts";
import { partsOf, withoutQuotes } from "./shell-text.ts";

const RUNNER =
	"(?:npm|pnpm|yarn|bun|deno|go|cargo|dotnet|swift|mix|rake|mvn|mise|task|just|make|gradlew?|zig build|rails|php artisan|nx|turbo|bazel|sbt|composer|hatch|meson)";
/** Matched at the start of a part of a command whose options are taken off; the strongest first. */
const KINDS: [Check["kind"], RegExp][] = [
	[
		"test",
		new RegExp(
			`^(?:(?:vitest|jest|pytest|py\\.test|mocha|ava|rspec|phpunit|ctest|tox|nox|bats|ginkgo|playwright test|cypress run)(?![\\w-])|${RUNNER}(?: run)? (?:t|tests?|check|nextest)(?:[:.][\\w:.-]*)?(?![\\w-])|python[\\d.]* (?:pytest|unittest|\\S*manage\\.py test|\\S*test\\w*\\.py)\\b|(?:run[-_]?)?tests?(?:\\.\\w+)?(?= |$))`,
		),
	],
	[
		"build",
		/^(?:(?:tsc|webpack|rollup|esbuild|tsup|ninja|cmake)(?![\w-])|(?:vite|cargo|go|dotnet|swift|zig|docker|next|bun|nx|turbo|bazel|hatch) build\b|mvn (?:package|install|compile)|gradlew? (?:build|assemble)|(?:npm|pnpm|yarn|bun|mise|task|just|make)(?: run)? (?:build|compile|bundle|all|install)(?:[:.][\w:.-]*)?(?![\w-])|make$)/,
	],
	[
		"lint",
		/^(?:(?:eslint|biome|ruff|flake8|golangci-lint|prettier|oxlint|stylelint|shellcheck|mypy|pyright|gofmt)(?![\w-])|go vet|cargo (?:clippy|fmt)|(?:npm|pnpm|yarn|bun|mise|task|just|make)(?: run)? (?:lint|fmt|format|typecheck|type-check)(?:[:.][\w:.-]*)?(?![\w-]))/,
	],
	[
		"run",
		/^(?:(?:npm|pnpm|yarn|bun)(?: run)? (?:start|dev|serve|preview)(?:[:.][\w:.-]*)?(?![\w-])|(?:cargo|go|flask|dotnet|deno) run|(?:uvicorn|gunicorn)\b|rails s(?:erver)?\b|docker compose up|python[\d.]* \S+\.py\b|node \S+\.[cm]?[jt]s\b|bun \S+\.[cm]?[jt]sx?\b)/,
	],
];
const VALUED = / (?:-C|--prefix|--filter|-F|--dir|--cwd|-w|--workspace|--package)[= ]\S+/g;
const OPTION = / --?[\w-]+(?:=\S+)?/g;

const TELLING =
	/\b\d+ (?:passed|passing|failed|failing|tests?|errors?|warnings?|problems?|specs?|examples?)\b|^(?:ok|PASS|(?:--- )?FAIL(?:ED)?|OK|BUILD \w+|test result:|Tests?:|Found \d+)\b/i;
const BAD =
	/\b[1-9]\d* (?:(?:tests?|suites?|specs?|examples?|checks?) )?(?:failed|failing|failures?|errors?)\b|^(?:--- )?FAIL(?:ED)?\b|^BUILD FAILED\b|test result: FAILED/im;
const COMMIT_LINE = /^\[([^\]\n]{1,200}?) (?:\(root-commit\) )?([0-9a-f]{7,40})\] (.+)$/gm;
const RESET = /\bgit\s+reset\s+(?:--(?:hard|soft|mixed)\s+)?HEAD(?:~(\d+)|(\^))/;

/** Notes what a shell command proves: that tests or a build went well, and commits made. */
export function applyProof(state: SessionState, call: OpenCall, outcome: EventOf<"result">): void {
	// it has only begun
	if (isBackground(call, outcome)) return;
	applyCheck(state, call, outcome);
	if (!outcome.failed) applyCommits(state, call, outcome);
}

/** Whether a command goes on in the background: its result says that it has begun. */
export const isBackground = ({ background }: OpenCall, { detail }: { detail: unknown }): boolean =>
	background === true || Boolean((detail as { backgroundTaskId?: unknown } | null)?.backgroundTaskId);

function applyCheck(state: SessionState, call: OpenCall, { text, failed, at }: EventOf<"result">): void {
	const found = checkIn(call.subject);
	if (!found) return;
	const outcome = checkLine(text);
	const check: Check = {
		kind: found.kind,
		command: call.subject,
		// behind a pipe or in a list the exit code is another command's; then the words count
		result: failed || BAD.test(outcome) ? "failed" : outcome || found.isNeeded ? "worked" : "unknown",
		outcome,
		at,
		order: call.order,
	};
	state.checks = [...state.checks.filter(({ command }) => command !== check.command), check];
	// a program that ran says less than a test
	keepLast(state, "checks", [({ kind }) => kind === "run"]);
}

function applyCommits(state: SessionState, call: OpenCall, { text, detail, at }: EventOf<"result">): void {
	const bare = withoutQuotes(call.subject);
	const reset = RESET.exec(bare);
	if (reset) state.commits.splice(-Number(reset[1] ?? 1));
	if (!partsOf(call.subject).some(({ run }) => /^git commit\b/.test(run))) return;
	const made = [...text.slice(0, 8_000).matchAll(COMMIT_LINE)].map(([, , hash, subject]) => ({
		hash: hash!.slice(0, 7),
		subject: subject!,
	}));
	// what a quiet commit does not print, newer versions tell
	const sha = (detail as { gitOperation?: { commit?: { sha?: unknown } } } | null)?.gitOperation?.commit?.sha;
	if (typeof sha === "string" && /^[0-9a-f]{7,40}$/.test(sha) && !made.some(({ hash }) => sha.startsWith(hash)))
		made.push({ hash: sha.slice(0, 7), subject: /-\w*m\s+(["'])(.+?)\1/.exec(call.subject)?.[2] ?? "" });
	if (made.length && /\s--amend\b/.test(bare)) state.commits.pop();
	for (const { hash, subject } of made) {
		if (state.commits.some((one) => one.hash === hash)) continue;
		state.commits.push({ hash, subject: cut(safeText(subject), 160), at, order: call.order });
		keepLast(state, "commits");
	}
}

/** How a check went by the words of its output, `null` where they do not say. */
export function checkOutcome(text: string, failed: boolean): "done" | "failed" | null {
	const outcome = checkLine(text);
	if (BAD.test(outcome)) return "failed";
	return outcome && !failed ? "done" : null;
}

/** What kind of proof a command is, the strongest of its parts; `null` for all others. Only what is run counts. */
export const checkKind = (command: string): Check["kind"] | null => checkIn(command)?.kind ?? null;

function checkIn(command: string): { kind: Check["kind"]; isNeeded: boolean } | null {
	const parts = partsOf(command).map((part) => ({ ...part, kind: checkOf(part.run) }));
	for (const [kind] of KINDS) {
		const part = parts.find((one) => one.kind === kind);
		if (part) return { kind, isNeeded: part.isNeeded };
	}
	return null;
}

/** What kind of proof one program is. */
export function checkOf(program: string): Check["kind"] | null {
	// `./node_modules/.bin/vitest` and `./gradlew` by their names
	const run = program.replace(/^\S*\/(?=[^\s/]+)/, "");
	if (/^node .*--test\b/.test(run)) return "test";
	if (/^tsc .*--noEmit\b/i.test(run)) return "lint";
	if (/^\S+ -c\b|^python[\d.]* -m json/.test(run)) return null;
	const words = run.replace(VALUED, "").replace(OPTION, "");
	return KINDS.find(([, pattern]) => pattern.test(words))?.[0] ?? null;
}

/** The line of a check's output that tells how it went; `""` where none does. */
export function checkLine(text: string): string {
	const line = lastLines(text, 3_000).findLast((one) => TELLING.test(one.trim()));
	return line ? cut(oneLine(safeText(line)), 120) : "";
}

/** The lines at an output's end, without one that was cut: what is left of a secret there is not known for one. */
export const lastLines = (text: string, max: number): string[] =>
	text
		.slice(-max)
		.split("\n")
		.slice(text.length > max ? 1 : 0);
