import { readFileSync } from "node:fs";
import { type Command, CommanderError } from "commander";
import { runsBare } from "../support/default-list.ts";
import type { Io } from "../support/io.ts";
import { durationArgument, goalArgument, sessionArgument, shareArgument } from "../support/task-arguments.ts";
import { EXIT_HELP } from "../support/task-exit-codes.ts";
import type { Common } from "../task/decide.ts";
import type { CheckpointOptions } from "../task/update.ts";

/** What the commands run with. */
interface TaskCommandPlace {
	io: Io;
	clock: () => Date;
	stdin: () => string;
}

/**
 * `ccg task …`: the durable state of a long task, for an agent to call before and after each major action. `only` names the one
 * command to declare, where it is known which is meant; the name of none declares all.
 */
export function registerTask(
	program: Command,
	io: Io,
	{
		clock = () => new Date(),
		stdin = () => readFileSync(0, "utf8"),
		only = "",
	}: { clock?: () => Date; stdin?: () => string; only?: string | undefined } = {},
): void {
	const task = program
		.command("task")
		.description(
			"durable state of a long task: goal, phase, decisions, failures, next action; and the stop before context runs out",
		)
		.exitOverride((error) => {
			throw error.exitCode === 0 ? error : new CommanderError(2, error.code, error.message);
		})
		.addHelpText(
			"after",
			`\nExamples:\n  ccg task ensure --goal "Port the parser"\n  ccg task checkpoint --did "wrote the lexer" --next "write the parser"\n  ccg task bundle\n${EXIT_HELP}`,
		);
	for (const name of Object.hasOwn(COMMANDS, only) ? [only] : Object.keys(COMMANDS))
		COMMANDS[name]!(task, { io, clock, stdin });
}

/** In the order in which the help lists them. */
const COMMANDS: Record<string, (task: Command, place: TaskCommandPlace) => void> = {
	status,
	ensure,
	checkpoint,
	bundle,
	complete,
	archive,
	resume,
};

/** A command with the options that all have. */
function common(command: Command, description: string, examples: string): Command {
	return command
		.description(description)
		.option(
			"--session <id>",
			"of this session (default: the one this runs in, else the one of this project seen last)",
			sessionArgument,
		)
		.option("--json", "machine-readable")
		.addHelpText("after", `\nExamples:\n${examples}\n${EXIT_HELP}`);
}

const withPressure = (command: Command): Command =>
	command.option(
		"--pressure <0.0-1.0>",
		"the pressure, from a host that knows it (default: what ccg measured)",
		shareArgument,
	);

function status(task: Command, { io, clock }: TaskCommandPlace): void {
	withPressure(
		common(
			// a bare 'ccg task' says where it stands
			runsBare(task, "status"),
			"say where the task stands; writes nothing, but a damaged file is quarantined under another name",
			"  ccg task status\n  ccg task status --json | jq .status",
		),
	).action(async (options: Common) => (await import("../task/look.ts")).status(options, io, clock()));
}

function ensure(task: Command, { io, clock }: TaskCommandPlace): void {
	withPressure(
		common(
			task.command("ensure"),
			"begin the task, or check that what is on disk can be trusted: what a session does first",
			'  ccg task ensure --goal "Port the parser to TypeScript"\n  ccg task ensure\n  ccg task ensure --from-last',
		),
	)
		.option("--goal <text>", "the goal of a task that begins or has none", goalArgument)
		.option("--from-last", "where the state is damaged: go on from the version before, without the last checkpoint")
		.action(async (options: Common & { goal?: string; fromLast?: boolean }) =>
			(await import("../task/look.ts")).ensure(options, io, clock()),
		);
}

function checkpoint(task: Command, { io, clock, stdin }: TaskCommandPlace): void {
	withPressure(
		common(task.command("checkpoint"), "record what was done and what comes next, durably", CHECKPOINT_EXAMPLES),
	)
		.option("--did <text>", "the action that worked")
		.option("--outcome <text>", "what came of it")
		.option("--next <text>", "the next action; DONE when nothing is left")
		.option("--failed <text>", "an attempt that did not work")
		.option("--why <text>", "the reason of --failed or of --decision")
		.option("--decision <text>", "a decision")
		.option("--step <text>", "a step of the plan that is completed")
		.option("--phase <text>", "the phase the task is in now")
		.option("--goal <text>", "the goal, when it changed")
		.option("--touched <path...>", "files that were changed or matter")
		.option("--blocker <text>", "what the task waits for")
		.option("--unblock <text>", "a blocker that is gone, word for word, or all")
		.option("--constraint <text>", "what must be kept to")
		.option("--file <path>", "a JSON object of fields; - reads it from stdin")
		.action(async (options: CheckpointOptions) =>
			(await import("../task/checkpoint.ts")).checkpoint(options, io, clock(), stdin),
		);
}

function bundle(task: Command, { io, clock }: TaskCommandPlace): void {
	withPressure(
		common(
			task.command("bundle"),
			"print the working bundle: exactly what the next action needs to know",
			"  ccg task bundle\n  ccg task bundle --json",
		),
	).action(async (options: Common) => (await import("../task/look.ts")).bundle(options, io, clock()));
}

function complete(task: Command, { io, clock }: TaskCommandPlace): void {
	common(
		task.command("complete"),
		"write the final state and summary",
		'  ccg task complete --outcome "all tests pass"',
	)
		.option("--outcome <text>", "what came of the task")
		.action(async (options: Common & { outcome?: string }) =>
			(await import("../task/checkpoint.ts")).complete(options, io, clock()),
		);
}

function archive(task: Command, { io, clock }: TaskCommandPlace): void {
	common(
		task.command("archive"),
		"move a finished, legacy or damaged task aside, so that a new one can begin",
		"  ccg task archive\n  ccg task archive --force",
	)
		.option("--force", "also a task that is not finished")
		.action(async (options: Common & { force?: boolean }) =>
			(await import("../task/archive.ts")).archive(options, io, clock()),
		);
}

function resume(task: Command, { io, clock }: TaskCommandPlace): void {
	common(
		task.command("resume"),
		"for people: lift the stop at critical pressure, until the next compaction",
		"  ccg task resume\n  ccg task resume --for 30m --session 0c0ffee0-0000-4000-8000-000000000000",
	)
		.option("--for <time>", "only for this long: 90s, 30m, 2h", durationArgument)
		.action(async (options: Common & { for?: number }) =>
			(await import("../task/resume.ts")).resume(options, io, clock()),
		);
}

const CHECKPOINT_EXAMPLES = `  ccg task checkpoint --did "wrote the lexer" --outcome "12 tests pass" --next "write the parser"
  ccg task checkpoint --failed "regex lexer" --why "no nested comments" --next "hand-written lexer"
  ccg task checkpoint --decision "keep the old file format" --why "users have files"
  echo '{"next_action":"write the parser","artifacts":["src/lexer.ts"]}' | ccg task checkpoint --file -
Fields of --file: goal, current_phase, next_action, last_action {summary, outcome}, completed_steps, failed_attempts
{attempt, reason}, decisions {decision, reason}, artifacts {path, note}, tool_outputs, blockers, invariants, constraints,
remove {blockers, invariants, constraints}. Texts replace, entries of lists are added.`;
