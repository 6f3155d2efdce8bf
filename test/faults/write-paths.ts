import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TaskState } from "../../src/core/task/task-state.ts";
import { sessionPaths } from "../../src/store/paths.ts";
import { markerState } from "../../src/store/pressure/marker.ts";
import { readUsage } from "../../src/store/pressure/usage-record.ts";
import { loadCheckpoint } from "../../src/store/recovery/checkpoints.ts";
import { readFirst, readReports, readSummary } from "../../src/store/recovery/compaction-record.ts";
import { readCommitted, readPending } from "../../src/store/recovery/pending.ts";
import { readRecords } from "../../src/store/session/event-log.ts";
import { loadSnapshot } from "../../src/store/session/session-snapshot.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { usage } from "../kit/usage.ts";
import { ccg, goOn, hook, LATER_WORDS, SID, type Fixture as Stage, statusLine, textOf, WORDS } from "./fixture.ts";
import { type Command, type Ran, runCommand } from "./strace.ts";

/**
 * One way in which ccg writes, run as a real process and struck at every call. To add one: make the state before, name the
 * command, say what has been promised once it ended well, and what is right after the next run.
 */
export interface WritePath {
	name: string;
	/** From an empty stage to the state before the write, by runs without faults. */
	prepare(stage: Stage): Promise<void>;
	command(stage: Stage): Command;
	/** What is wrong although the run said that all was done; `null` when nothing is. */
	promised(stage: Stage, ran: Ran): string | null;
	/** The run after the fault; the same one when it is left out. */
	next?(stage: Stage): Command[];
	/** What is wrong after it. `first` is the run that was struck, `held` what `before` gave between the two. */
	result(stage: Stage, next: Ran[], first: Ran, held: unknown): string | null;
	before?(stage: Stage): unknown;
	/**
	 * Where a file can't be read the run may rightly do without it and write something else than it would have: `struck` is the
	 * call that failed, `files` may differ then (they are whole all the same).
	 */
	otherRoute?: { struck: RegExp; files: RegExp };
	/** Files that hold readings of the moment (memory, seconds): no two runs write the same, so only whole ones are asked for. */
	readings?: RegExp;
}

const steps = async (...commands: Command[]): Promise<void> => {
	for (const command of commands) {
		const { code, err } = await runCommand(command);
		if (code !== 0 || err) throw new Error(`${command.argv.slice(3).join(" ")}: ${code}, ${err}`);
	}
};

const preCompact = (stage: Stage): Command => hook(stage, "pre-compact", { trigger: "manual" });
const compacted = (stage: Stage): Command => hook(stage, "session-start", { source: "compact" });
const resumed = (stage: Stage): Command => hook(stage, "session-start", { source: "resume" });
const measured = (stage: Stage): Command => hook(stage, "post-tool-batch", {});
const toolCall = (stage: Stage): Command => hook(stage, "pre-tool-use", { tool_name: "Bash" });

const stopped = (stage: Stage): Command => hook(stage, "stop", { background_tasks: [], session_crons: [] });

/** What the user said stands in the ledger once, and in the context. */
function contextFault({ store }: Stage): string | null {
	const { records, broken } = readRecords(sessionAt(store, SID));
	if (broken > 1) return `${broken} broken lines in the ledger`;
	for (const said of [WORDS, LATER_WORDS]) {
		const count = records.filter((one) => one.kind === "message" && one.text === said).length;
		if (count !== 1) return `the ledger holds "${said}" ${count} times`;
		if (!loadSnapshot(sessionAt(store, SID), new Date()).recent_history.some(({ content }) => content.includes(said)))
			return `the context lacks "${said}"`;
	}
	return null;
}

/** A hook has no other way to say that all went well than to have nothing to say in the log. */
const isQuiet = ({ store }: Stage, { code, err }: Ran): boolean =>
	code === 0 && err === "" && textOf(join(store, "log", "ccg.log")) === null;

const words = ({ store }: Stage, key: string | undefined): string =>
	(key &&
		loadCheckpoint(sessionAt(store, SID), key)
			?.state.messages.map(({ text }) => text)
			.join("\n")) ||
	"";

/** The checkpoint that is pending is whole and up to date. */
function checkpointFault(stage: Stage): string | null {
	const pending = readPending(sessionAt(stage.store, SID));
	if (!pending) return "nothing is pending";
	return words(stage, pending.key).includes(LATER_WORDS) ? null : "the pending checkpoint lacks the last words";
}

const nudges = (...runs: Ran[]): number => runs.filter(({ out }) => out.includes("hookSpecificOutput")).length;

const settings = ({ home }: Stage): string => join(home, ".claude", "settings.json");
const SETTINGS = '{\n  "model": "opus",\n  "hooks": {}\n}';
const NOTE = "Tests need Redis on port 6380.";
const memory = ({ store }: Stage): string => {
	const [project] = readdirSync(join(store, "projects"));
	return join(store, "projects", project!, "MEMORY.md");
};
const count = (text: string | null, part: string): number => (text ?? "").split(part).length - 1;

/** `ccg task` from inside of the session, which the store need not know yet. */
const ccgTask = (stage: Stage, ...args: string[]): Command => {
	const command = ccg(stage, "task", ...args);
	return { ...command, env: { ...command.env, CLAUDE_CODE_SESSION_ID: SID } };
};

const task = ({ store }: Stage): TaskState | null => {
	const text = textOf(join(sessionPaths(store, SID).folder, "task-state.json"));
	return text ? JSON.parse(text) : null;
};

export const WRITE_PATHS: WritePath[] = [
	{
		name: "PreCompact: checkpoint, log",
		prepare: async (stage) => {
			await steps(measured(stage), preCompact(stage));
			goOn(stage);
		},
		command: preCompact,
		promised: (stage, ran) => (ran.code === 0 && ran.out.trim() ? checkpointFault(stage) : null),
		result: (stage, [next]) => (next!.out.includes(LATER_WORDS) ? checkpointFault(stage) : "no steering text"),
	},
	{
		name: "SessionStart after a compaction",
		prepare: async (stage) => {
			await steps(measured(stage), toolCall(stage), preCompact(stage));
			goOn(stage, { boundary: true });
		},
		command: compacted,
		promised: (stage, { out }) => {
			if (!out.includes("ccg recovery precompact_checkpoint_")) return null;
			const committed = readCommitted(sessionAt(stage.store, SID));
			if (!committed || readPending(sessionAt(stage.store, SID))) return "given, but not committed";
			return existsSync(join(sessionPaths(stage.store, SID).given, `${committed.key}.compact`))
				? null
				: "given, but not kept as given";
		},
		next: (stage) => [resumed(stage)],
		// the checkpoint is taken anew from the transcript
		otherRoute: {
			struck: /^openat.*\/(?:pending|checkpoints\/[^"]*)\.json", O_RDONLY/,
			files: /sessions\/|learned\.json|\/log\//,
		},
		result: (_, [next]) => (next!.out.includes("ccg recovery") ? null : "the resumed session gets no block"),
	},
	{
		name: "PostCompact: summary, report",
		prepare: async (stage) => {
			await steps(measured(stage), preCompact(stage));
			goOn(stage, { boundary: true });
			await steps(compacted(stage));
		},
		command: (stage) => hook(stage, "post-compact", { compact_summary: "The user works on billing." }),
		promised: (stage, ran) => {
			if (!isQuiet(stage, ran)) return null;
			if (readSummary(sessionAt(stage.store, SID), "") === null) return "no summary";
			return readReports(sessionAt(stage.store, SID)).length === 1 ? null : "no report";
		},
		result: (stage) =>
			readReports(sessionAt(stage.store, SID))[0]?.key === readFirst(sessionAt(stage.store, SID))?.key &&
			readSummary(sessionAt(stage.store, SID), "")?.includes("billing")
				? null
				: "no report of this compaction",
	},
	{
		name: "usage: measurement, marker dropped",
		prepare: async (stage) => {
			await steps(measured(stage), toolCall(stage), preCompact(stage));
			goOn(stage, { boundary: true });
			await steps(compacted(stage));
			goOn(stage);
		},
		command: measured,
		// whose zone before is not known writes that it changed
		otherRoute: { struck: /^openat.*\/usage\.json", O_RDONLY/, files: /events\.jsonl/ },
		promised: (stage, ran) => {
			if (!isQuiet(stage, ran)) return null;
			if (readUsage(sessionAt(stage.store, SID))?.tokens !== 155_000) return "no measurement";
			return markerState(sessionAt(stage.store, SID)) === "marker" ? null : "no marker";
		},
		result: (stage) =>
			markerState(sessionAt(stage.store, SID)) === "marker" &&
			readUsage(sessionAt(stage.store, SID))?.tokens === 155_000
				? null
				: "no marker or measurement",
	},
	{
		name: "Stop: session snapshot and event log",
		prepare: async (stage) => {
			await steps(stopped(stage));
			goOn(stage);
		},
		command: stopped,
		promised: (stage, ran) => (isQuiet(stage, ran) ? contextFault(stage) : null),
		readings: /state\.json|events\.jsonl/,
		result: contextFault,
	},
	{
		name: "PreToolUse: marker claimed",
		prepare: (stage) => steps(measured(stage)),
		command: toolCall,
		promised: (stage, ran) =>
			nudges(ran) && markerState(sessionAt(stage.store, SID)) !== "nudged" ? "nudged, but the cycle is open" : null,
		before: (stage) => markerState(sessionAt(stage.store, SID)),
		result: (_, [next], first, held) => {
			if (nudges(first, next!) > 1) return "nudged twice";
			// at most once: between the claim and the answer a kill loses the nudge of this cycle
			return held === "marker" && nudges(next!) !== 1 ? "the marker stood and nobody was nudged" : null;
		},
	},
	{
		name: "PreToolUse: second part given",
		prepare: async (stage) => {
			await steps(measured(stage), toolCall(stage), preCompact(stage));
			goOn(stage, { boundary: true });
			await steps(compacted(stage));
		},
		command: toolCall,
		promised: () => null,
		result: (_, [next]) => (next!.code === 0 ? null : "failed"),
	},
	{
		name: "status line, kept for a time without Bun",
		prepare: (stage) => steps(statusLine(stage, 40_000)),
		command: (stage) => statusLine(stage, 50_000),
		// without the last measurement the zone counts as new
		otherRoute: { struck: /usage\.json", O_RDONLY/, files: /events\.jsonl$/ },
		// it prints its line and ends 0 whatever happens; what is kept is whole, the old one or the new one
		promised: (stage, { out }) => {
			const kept = textOf(sessionPaths(stage.store, SID).statusLine) ?? "";
			return kept === out || /40k\/167k.*\n$/.test(kept) ? null : `kept: ${kept}`;
		},
		result: (stage, [next]) => (textOf(sessionPaths(stage.store, SID).statusLine) === next!.out ? null : "not kept"),
	},
	{
		name: "memory save",
		prepare: (stage) => steps(ccg(stage, "memory", "save", "The first note.")),
		command: (stage) => ccg(stage, "memory", "save", NOTE),
		promised: (stage, { code }) => (code === 0 && !count(textOf(memory(stage)), NOTE) ? "not in the file" : null),
		result: (stage) => {
			const text = textOf(memory(stage));
			return count(text, NOTE) === 1 && count(text, "The first note.") === 1 ? null : `wrong: ${text}`;
		},
	},
	{
		name: "memory delete",
		prepare: (stage) => steps(ccg(stage, "memory", "save", "The first note."), ccg(stage, "memory", "save", NOTE)),
		command: (stage) => ccg(stage, "memory", "delete", "--yes", NOTE),
		promised: (stage, { code }) => (code === 0 && count(textOf(memory(stage)), NOTE) ? "still in the file" : null),
		result: (stage) => {
			const text = textOf(memory(stage));
			return count(text, NOTE) === 0 && count(text, "The first note.") === 1 ? null : `wrong: ${text}`;
		},
	},
	{
		name: "memory save --target log",
		prepare: (stage) => steps(ccg(stage, "memory", "save", "--target", "log", "The first line.")),
		command: (stage) => ccg(stage, "memory", "save", "--target", "log", NOTE),
		promised: (stage, { code }) => (code === 0 && !count(logText(stage), NOTE) ? "not in the log" : null),
		result: (stage) => {
			const text = logText(stage);
			return count(text, NOTE) === 1 && count(text, "The first line.") === 1 ? null : `wrong: ${text}`;
		},
	},
	{
		name: "task ensure: a task begins",
		prepare: async () => {},
		command: (stage) => ccgTask(stage, "ensure", "--goal", "port"),
		promised: (stage, { code }) => (code === 0 && task(stage)?.goal !== "port" ? "not begun" : null),
		result: (stage, [next]) => (next!.code === 0 && task(stage)?.status === "active" ? null : `stopped: ${next!.out}`),
	},
	{
		name: "task checkpoint, with its summary",
		prepare: (stage) => steps(ccgTask(stage, "checkpoint", "--goal", "port", "--next", "first", "--decision", "kept")),
		command: (stage) => ccgTask(stage, "checkpoint", "--phase", "build", "--next", "second", "--pressure", "0.6"),
		promised: (stage, { code }) => (code === 0 && task(stage)?.next_action !== "second" ? "not in the state" : null),
		next: (stage) => [ccgTask(stage, "ensure", "--pressure", "0.6")],
		result: (stage, [next], first) => {
			const now = task(stage);
			if (next!.code !== 0) return `stopped: ${next!.out}${next!.err}`;
			if (now?.decisions[0]?.decision !== "kept") return "an earlier decision is gone";
			if (now.next_action !== "second" && (first.code === 0 || now.next_action !== "first"))
				return "neither old nor new";
			const text = textOf(join(sessionPaths(stage.store, SID).folder, "summaries", "latest-summary.md")) ?? "";
			return text.includes(`- ${now.current_phase}\n`) ? null : "the summary says another phase";
		},
		otherRoute: { struck: /^openat/, files: /sessions\// },
	},
	{
		name: "settings install",
		prepare: async (stage) => writeFileSync(settings(stage), SETTINGS),
		command: (stage) => ccg(stage, "install", "--yes"),
		promised: (stage, { code }) =>
			code === 0 && !textOf(settings(stage))?.includes("hook pre-compact") ? "not registered" : null,
		next: (stage) => [ccg(stage, "install", "--yes"), ccg(stage, "uninstall", "--yes")],
		result: (stage, [install]) => {
			if (install!.code !== 0) return `the next install failed: ${install!.err}`;
			return textOf(settings(stage)) === SETTINGS ? null : "the bytes of before did not come back";
		},
	},
	{
		name: "settings uninstall",
		prepare: async (stage) => {
			writeFileSync(settings(stage), SETTINGS);
			await steps(ccg(stage, "install", "--yes"));
		},
		command: (stage) => ccg(stage, "uninstall", "--yes"),
		promised: (stage, { code }) =>
			code === 0 && textOf(settings(stage)) !== SETTINGS ? "not the bytes of before" : null,
		result: (stage, [next]) => {
			if (next!.code !== 0) return `the next uninstall failed: ${next!.err}`;
			return textOf(settings(stage)) === SETTINGS ? null : "the bytes of before did not come back";
		},
	},
	{
		name: "gc",
		prepare: async (stage) => {
			await steps(measured(stage));
			for (const id of ["old-1", "old-2", "new"]) {
				const folder = join(stage.store, "sessions", id);
				mkdirSync(folder, { recursive: true });
				const at = Date.now() / 1000 - (id === "new" ? 2 : 100) * 86_400;
				const files = { "usage.json": usage({ at: "" }), "summary.json": { at: "", text: "" } };
				for (const [name, content] of Object.entries(files)) {
					writeFileSync(join(folder, name), `${JSON.stringify({ version: 1, ...content })}\n`);
					utimesSync(join(folder, name), at, at);
				}
				utimesSync(folder, at, at);
			}
		},
		command: (stage) => ccg(stage, "gc", "--json"),
		// what it could not look at it keeps, as it might be running
		promised: (_, { code, out }) => {
			if (code !== 0) return null;
			if (out === "") return "ended 0 and said nothing";
			const { deleted } = JSON.parse(out) as { deleted: { path: string }[] };
			return deleted.some(({ path }) => existsSync(path)) ? "said to be deleted, and there" : null;
		},
		before: (stage) =>
			["old-1", "old-2", "new"].every((id) => {
				const folder = join(stage.store, "sessions", id);
				return !existsSync(folder) || readdirSync(folder).length === 2;
			}),
		// the folder it was killed in is litter, which goes after an hour
		result: (stage, [next], _, whole) => {
			if (!whole) return "a session was left in part";
			if (next!.code !== 0) return `the next one failed: ${next!.err}`;
			const left = readdirSync(join(stage.store, "sessions")).filter((name) => !name.startsWith("."));
			return left.sort().join() === `new,${SID}` ? null : `left: ${left}`;
		},
	},
];

const logText = ({ store }: Stage): string | null => {
	const [project] = readdirSync(join(store, "projects"));
	const folder = join(store, "projects", project!, "log");
	return textOf(join(folder, readdirSync(folder).find((name) => name.endsWith(".md"))!));
};

/** A writer that overwrites in place: it must be caught, or the harness proves nothing. */
export const IN_PLACE: WritePath = {
	name: "in-place writer (must be caught)",
	prepare: async ({ store, top }) => {
		mkdirSync(join(store, "sessions", SID), { recursive: true });
		writeFileSync(
			join(sessionPaths(store, SID).folder, "summary.json"),
			`${JSON.stringify({ version: 1, text: "x".repeat(40_000) })}\n`,
		);
		writeFileSync(
			join(top, "in-place.ts"),
			'import { writeFileSync } from "node:fs";\nwriteFileSync(process.argv[2]!, JSON.stringify({ version: 1, text: "y".repeat(20_000) }) + "\\n");\n',
		);
	},
	command: ({ top, store, project }) => ({
		argv: [
			process.execPath,
			"--config=/dev/null",
			"--no-env-file",
			join(top, "in-place.ts"),
			join(sessionPaths(store, SID).folder, "summary.json"),
		],
		env: { PATH: "/usr/bin:/bin", HOME: top },
		cwd: project,
		input: "",
	}),
	promised: () => null,
	result: () => null,
};
