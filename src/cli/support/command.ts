import { Argument, InvalidArgumentError, Option } from "commander";
import type { Io } from "./io.ts";

/** A command: what its help says, what it takes, and what it does. */
export interface Spec {
	about: string;
	args?: readonly Argument[];
	options?: readonly Option[];
	/** Stands behind the options: what else there is to know, examples, exit codes. */
	help: string;
	/** Takes its options and its arguments, in their order. A failure is thrown; wrong use as `WrongUse`. */
	run(io: Io, options: never, ...args: never[]): Answer | undefined | Promise<Answer | undefined>;
}

/** Commands of one subject, as in `ccg memory save`. */
export interface Group {
	about: string;
	help?: string;
	/** The command that also runs when the group is called bare. */
	defaultCommand: string;
	load(): Promise<Record<string, Spec>>;
}

/** What a command found out or did, for programs and for people. */
export interface Answer {
	/** For programs (`--json`). */
	json: unknown;
	/** For people: lines of ours, to be fitted to their terminal, or a function that prints the answer. */
	text: string | readonly string[] | (() => void);
}

/** Declares an argument for the help; `name`: `<one>`, `[one that may be left out]` or `<several...>`. */
export const argument = (name: string, about: string): Argument => new Argument(name, about);

/** Declares an option for the help; `flags`: `--name`, `--name <value>` or `--name <values...>`. */
export const option = (flags: string, about: string): Option => new Option(flags, about);

/** The error of an option whose value is wrong. */
export const badValue = (why: string): Error => new InvalidArgumentError(why);

// What means the same in every command that takes it is declared here, once.
export const JSON_OUT = option("--json", "machine-readable");
export const SESSION = option(
	"--session <id>",
	"this session, by its id or the beginning of it (default: the one this runs in, else this project's last)",
);
export const OUT = option("--out <file>", "write it into this new file");
export const YES = option("--yes", "do not ask");
export const AUTO = option("--auto", "started by ccg itself, with nobody to read what it prints").hideHelp();
export const DRY_RUN = option("--dry-run", "show what would be done and do nothing");
export const ALL = option("--all", "all projects, not only this one");
export const SINCE = option("--since <time>", "only from this time on: 2026-01-31, or 12h, 7d, 3w ago").argParser(
	parseSince,
);
export const UNTIL = option("--until <time>", "only up to this time; a day counts to its end").argParser(parseUntil);
export const GLOBAL = option("--global", "the notes for all projects instead of this project's");
export const PRESSURE = option(
	"--pressure <0.0-1.0>",
	"used share of the way to compaction, if the caller knows it (default: what ccg measured)",
).argParser(parseShare);

/** The values of these options. A command gets those of the options that it declares. */
export interface Flags {
	json?: boolean;
	session?: string | undefined;
	out?: string;
	yes?: boolean;
	dryRun?: boolean;
	all?: boolean;
	since?: TimeOption;
	until?: TimeOption;
	global?: boolean;
	pressure?: number;
	auto?: boolean;
}

/** The value of `--since` or `--until`: gives its moment in ms, since it may count back from now. */
type TimeOption = (now: Date) => number;

const DAY = /^\d{4}-\d\d-\d\d$/;
const HOURS: Record<string, number> = { h: 1, d: 24, w: 168 };

/** Parses the value of `--since`: a day, a moment, or how far back (`12h`, `3d`, `2w`). */
function parseSince(value: string): TimeOption {
	const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(value) ?? [];
	if (count) return (now) => now.getTime() - Number(count) * HOURS[unit!]! * 3_600_000;
	// a day alone means its beginning on the reader's clock
	const at = Date.parse(DAY.test(value) ? `${value}T00:00` : value);
	if (!DAY.test(value.slice(0, 10)) || Number.isNaN(at))
		throw badValue("it must be a day or time like 2026-01-31 or 2026-01-31T09:00, or 12h, 3d, 2w");
	return () => at;
}

/** Parses the value of `--until` as that of `--since`, but a day alone means its last moment. */
function parseUntil(value: string): TimeOption {
	const moment = parseSince(value);
	return DAY.test(value) ? (now) => new Date(moment(now)).setHours(24) - 1 : moment;
}

/** Parses the value of `--pressure`: a share from 0.0 to 1.0. */
function parseShare(value: string): number {
	const number = Number(value);
	if (value.trim() === "" || !(number >= 0 && number <= 1)) throw badValue("it must be a number from 0.0 to 1.0");
	return number;
}
