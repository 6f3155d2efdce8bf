import { type Command, Option } from "commander";
import { CHECKPOINT_TYPES } from "../../core/recovery/checkpoint-key.ts";
import type { DeleteOptions } from "../acts/checkpoint-delete.ts";
import type { ExportOptions, ImportOptions } from "../acts/checkpoint-file.ts";
import type { ListOptions } from "../acts/checkpoint-list.ts";
import type { LookOptions } from "../acts/checkpoint-look.ts";
import type { RestoreOptions } from "../acts/checkpoint-restore.ts";
import type { SaveOptions } from "../acts/checkpoint-save.ts";
import type { ValidateOptions } from "../acts/checkpoint-validate.ts";
import { type Ask, askOnTerminal } from "../support/ask-on-terminal.ts";
import { listByDefault } from "../support/default-list.ts";
import type { Io } from "../support/io.ts";
import { wholeNumber } from "../support/number-argument.ts";

interface Place {
	io: Io;
	now: () => Date;
	ask: Ask;
}

/** `ccg checkpoint …`: a session's state at a moment, saved, looked at, and given back. */
export function registerCheckpoint(
	program: Command,
	io: Io,
	{ now = () => new Date(), ask = askOnTerminal }: Partial<Omit<Place, "io">> = {},
): void {
	const checkpoint = program
		.command("checkpoint")
		.description("a session's state at a moment: save, list, compare, validate, restore")
		.addHelpText(
			"after",
			'\nExamples:\n  ccg checkpoint save "before the rewrite"\n  ccg checkpoint list\n  ccg checkpoint restore --next\n\nA KEY is a checkpoint\'s key or the beginning of it, or a type (precompact, manual, wave, phase, time) for the\nnewest of it; without one the newest of this project is meant. docs/checkpoints.md says when they are taken.',
		);
	const place = { io, now, ask };
	for (const add of [save, list, show, diff, validate, restore, remove, exportOne, importOne]) add(checkpoint, place);
}

const SESSION = "by its id or the beginning of it";
const KEY = "its key or the beginning of it, or a type (default: the newest of this project)";

function save(group: Command, { io, now }: Place): void {
	group
		.command("save")
		.description("save the state of the session now, with a note")
		.argument("[note...]", "what to write to it")
		.option("--session <id>", `of this session, ${SESSION} (default: the one this runs in, else this project's last)`)
		.option("--json", "machine-readable")
		.addOption(new Option("--auto", "started by a measurement").hideHelp())
		.addHelpText(
			"after",
			'\nExamples:\n  ccg checkpoint save\n  ccg checkpoint save "before the rewrite" --json | jq -r .key',
		)
		.action(async (note: string[], options: SaveOptions) =>
			(await import("../acts/checkpoint-save.ts")).save(note.join(" ").trim(), options, io, now()),
		);
}

function list(group: Command, { io, now }: Place): void {
	listByDefault(group)
		.description("checkpoints of this project, the newest first: why they were taken, sizes, coverage")
		.option("--session <id>", `of this session alone, ${SESSION}`)
		.option("--all", "of all projects")
		.addOption(new Option("--type <type>", "of this type alone").choices([...CHECKPOINT_TYPES]))
		.option("--limit <count>", "the newest so many (default: 20)", wholeNumber(1, 1_000_000))
		.option("--json", "machine-readable")
		.addHelpText("after", "\nExamples:\n  ccg checkpoint list\n  ccg checkpoint list --all --type manual --limit 100")
		.action(async (options: ListOptions) => (await import("../acts/checkpoint-list.ts")).list(options, io, now()));
}

function show(group: Command, { io, now }: Place): void {
	group
		.command("show")
		.description("print a checkpoint")
		.argument("[key]", KEY)
		.option("--session <id>", `of this session, ${SESSION}`)
		.option("--json", "the fields of the agent's document, and what is missing with the reason")
		.addHelpText(
			"after",
			"\nExamples:\n  ccg checkpoint show\n  ccg checkpoint show manual --json | jq .session_state.next_action",
		)
		.action(async (key: string | undefined, options: LookOptions) =>
			(await import("../acts/checkpoint-look.ts")).show(key, options, io, now()),
		);
}

function diff(group: Command, { io, now }: Place): void {
	group
		.command("diff")
		.description("say in words what changed from one checkpoint to another")
		.argument("<from>", "the earlier one: its key or the beginning of it, or a type")
		.argument("[to]", "the later one (default: the newest of this project)")
		.option("--session <id>", `of this session, ${SESSION}`)
		.option("--json", "machine-readable")
		.addHelpText(
			"after",
			"\nExamples:\n  ccg checkpoint diff manual\n  ccg checkpoint diff wave_checkpoint_20260131_090500 time",
		)
		.action(async (from: string, to: string | undefined, options: LookOptions) =>
			(await import("../acts/checkpoint-look.ts")).diff(from, to, options, io, now()),
		);
}

function validate(group: Command, { io, now }: Place): void {
	group
		.command("validate")
		.description("check checkpoints: integrity, freshness, coverage")
		.argument("[key...]", "keys or types (default: all of this project)")
		.option("--session <id>", `of this session, ${SESSION}`)
		.option("--all", "of all projects")
		.option("--json", "machine-readable")
		.addHelpText(
			"after",
			"\nExamples:\n  ccg checkpoint validate\n  ccg checkpoint validate latest\n\nExit codes: 0 all are fit for a restore, 1 one is not or it failed, 2 wrong use.",
		)
		.action(async (keys: string[], options: ValidateOptions) =>
			(await import("../acts/checkpoint-validate.ts")).validateAll(keys, options, io, now()),
		);
}

function restore(group: Command, { io, now }: Place): void {
	group
		.command("restore")
		.description("give a checkpoint back to the running session, the next one, or this terminal")
		.argument("[key]", KEY)
		.option("--next", "to the next session of this project, once")
		.option("--print", "to this terminal")
		.option("--cancel", "take back one that still waits; with --next, for the next session")
		.option("--session <id>", `to this session, ${SESSION} (default: the one this runs in, else this project's last)`)
		.option("--from <session>", `a checkpoint of this session, ${SESSION}`)
		.option("--anyway", "also one of another project; in a session: ccg --anyway checkpoint restore")
		.option("--json", "machine-readable")
		.addHelpText("after", RESTORE_HELP)
		.action(async (key: string | undefined, options: RestoreOptions) => {
			const { cancelRestore, restore } = await import("../acts/checkpoint-restore.ts");
			return options.cancel ? cancelRestore(options, io, now()) : restore(key, options, io, now());
		});
}

const RESTORE_HELP = `
Examples:
  ccg checkpoint restore
  ccg checkpoint restore manual --next
  ccg checkpoint restore phase_checkpoint_20260131_090500 --print
  ccg checkpoint restore --cancel --next

A running session gets it with its next tool call or prompt, once, marked as restored; its present is saved first. One that waits
is listed by 'ccg checkpoint list' and ends after 24 hours (checkpoints.freshHours). What has changed
since (branch, commit, files) is said with it. One that is not fit is named and skipped; one that is named by its key is refused.`;

function remove(group: Command, { io, now, ask }: Place): void {
	group
		.command("delete")
		.description("delete checkpoints")
		.argument("<key...>", "keys or the beginnings of them")
		.option("--session <id>", `of this session, ${SESSION}`)
		.option("--yes", "do not ask")
		.option("--anyway", "also what the last compaction goes by")
		.option("--json", "machine-readable")
		.addHelpText(
			"after",
			"\nExamples:\n  ccg checkpoint delete time_checkpoint_20260131_090500\n\nExit codes: 0 deleted or declined, 1 failed, 2 nobody to ask and no --yes.",
		)
		.action(async (keys: string[], options: DeleteOptions) =>
			(await import("../acts/checkpoint-delete.ts")).remove(keys, options, io, ask, now()),
		);
}

function exportOne(group: Command, { io, now }: Place): void {
	group
		.command("export")
		.description("a checkpoint as one JSON file with its checksum")
		.argument("[key]", KEY)
		.option("--to <file>", "write it there; without it, to standard output")
		.option("--session <id>", `of this session, ${SESSION}`)
		.option("--json", "JSON, which it always is")
		.addHelpText(
			"after",
			"\nExamples:\n  ccg checkpoint export --to state.json\n  ccg checkpoint export manual > state.json",
		)
		.action(async (key: string | undefined, options: ExportOptions) =>
			(await import("../acts/checkpoint-file.ts")).exportCheckpoint(key, options, io, now()),
		);
}

function importOne(group: Command, { io, now }: Place): void {
	group
		.command("import")
		.description("take a checkpoint from a file; it is marked, and restored by its key alone")
		.argument("<file>", "as 'ccg checkpoint export' writes it")
		.option("--anyway", "also without a checksum that fits")
		.option("--json", "machine-readable")
		.addHelpText("after", "\nExamples:\n  ccg checkpoint import state.json")
		.action(async (file: string, options: ImportOptions) =>
			(await import("../acts/checkpoint-file.ts")).importCheckpoint(file, options, io, now()),
		);
}
