import { cut, safeText } from "../text.ts";
import type { Check, OpenCall, SessionState } from "./session-state.ts";

const MAX_CHECKS = 24;
const MAX_COMMITS = 40;

const KINDS: [Check["kind"], RegExp][] = [
	[
		"test",
		/\b(?:vitest|jest|pytest|mocha|rspec|phpunit|ctest|tox|nox|bats|ginkgo|(?:npm|pnpm|yarn|bun|deno|go|cargo|dotnet|swift|mix|rake|mvn|mise|task|just|make)(?: run)?(?: -\S+)* (?:nextest|test|check)[\w:.-]*|gradlew? \S*test\w*|node --test)(?![\w-])/i,
	],
	[
		"lint",
		/\b(?:eslint|biome|ruff|flake8|golangci-lint|clippy|prettier|shellcheck|mypy|pyright|gofmt|go vet|tsc --noEmit|(?:npm|pnpm|yarn|bun|mise|task|just|make)(?: run)? (?:lint|fmt|format|typecheck)[\w:.-]*)(?![\w-])/i,
	],
	[
		"build",
		/\b(?:tsc|webpack|rollup|esbuild|(?:vite|cargo|go|dotnet|swift|zig|docker|next|bun) build|mvn (?:package|install)|gradlew? (?:build|assemble)|cmake --build|(?:npm|pnpm|yarn|bun|mise|task|just|make)(?: run)? (?:build|compile|all)[\w:.-]*|make)(?![\w-])/i,
	],
	[
		"run",
		/\b(?:(?:npm|pnpm|yarn|bun)(?: run)? (?:start|dev|serve|preview)[\w:.-]*|(?:cargo|go|flask|dotnet) run|uvicorn|gunicorn|rails s(?:erver)?|docker compose up|python3? (?:-m )?[\w./-]+|node [\w./-]+\.[cm]?js)(?![\w-])/i,
	],
];
const TELLING =
	/\b\d+ (?:passed|passing|failed|failing|tests?|errors?|warnings?|problems?|specs?|examples?)\b|^(?:ok|PASS|FAIL(?:ED)?|OK|BUILD \w+|test result:|Tests?:|Found \d+)\b/i;
const BAD = /\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|^(?:FAIL(?:ED)?|BUILD FAILED)\b|test result: FAILED/im;
const COMMIT_LINE = /^\[([^\]\n]+?) (?:\(root-commit\) )?([0-9a-f]{7,40})\] (.+)$/gm;

/** Notes what a shell command proves: that tests or a build went well, and commits made. */
export function foldProof(
	state: SessionState,
	call: OpenCall,
	{ text, failed, at }: { text: string; failed: boolean; at: string },
): void {
	const kind = checkKind(call.subject);
	if (kind) {
		const outcome = outcomeOf(text);
		const check: Check = {
			kind,
			command: call.subject,
			// a pipe hides the exit code; the words do not
			failed: failed || BAD.test(outcome),
			outcome,
			at,
			order: call.order,
		};
		state.checks = [...state.checks.filter(({ command }) => command !== check.command), check].slice(-MAX_CHECKS);
	}
	if (failed || !/\bcommit\b/.test(call.subject)) return;
	for (const [, , hash, subject] of text.slice(0, 8_000).matchAll(COMMIT_LINE)) {
		const short = hash!.slice(0, 7);
		if (state.commits.some((one) => one.hash === short)) continue;
		state.commits.push({ hash: short, subject: cut(safeText(subject!), 160), at, order: call.order });
		if (state.commits.length > MAX_COMMITS) state.commits.shift();
	}
}

/** What kind of proof a command is; `null` for all others. Only what is run counts, not what is searched or printed. */
export function checkKind(command: string): Check["kind"] | null {
	for (const part of command.split(/&&|\|\||[;|\n]/)) {
		const run = part.trim().replace(/^(?:(?:[A-Z_]+=\S+|time|sudo|npx|bunx|exec|env|timeout \S+)\s+)+/, "");
		if (/^(?:grep|rg|cat|echo|ls|find|head|tail|sed|awk|git|cd|which|printf|mkdir|rm|cp|mv)\b/.test(run)) continue;
		for (const [kind, pattern] of KINDS) if (run.search(pattern) === 0) return kind;
	}
	return null;
}

function outcomeOf(text: string): string {
	const line = text
		.slice(-3_000)
		.split("\n")
		.findLast((one) => TELLING.test(one.trim()));
	return line ? cut(safeText(line).replace(/\s+/g, " ").trim(), 120) : "";
}
