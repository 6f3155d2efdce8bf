import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TaskState } from "../../src/core/task/task-state.ts";
import { sessionPaths } from "../../src/store/paths.ts";
import { markerState } from "../../src/store/pressure/marker.ts";
import { readUsage } from "../../src/store/pressure/usage-record.ts";
import { checkpointPath, latestKey, loadCheckpoint } from "../../src/store/recovery/checkpoints.ts";
import { readRecoveryInjection, readReports, readSummary } from "../../src/store/recovery/compaction-record.ts";
import { readLossNote } from "../../src/store/recovery/loss-note.ts";
import { readCommitted, readPending } from "../../src/store/recovery/pending.ts";
import { readRecords } from "../../src/store/session/event-log.ts";
import { loadSnapshot } from "../../src/store/session/session-snapshot.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { storeAt } from "../kit/store.ts";
import { usage } from "../kit/usage.ts";
import { ccg, type FaultFixture, goOn, hook, LATER_WORDS, SID, statusLine, textOf, WORDS } from "./fixture.ts";
import { type Command, runCommand, type TracedRun } from "./strace.ts";

/**
 * One way in which ccg writes, run as a real process and struck at every call. To add one: make the state before, name the
 * command, say what has been promised once it ended well, and what is right after the next run.
 */
export interface WritePath {
	name: string;
	/** From an empty fixture to the state before the write, by runs without faults. */
	prepare(fixture: FaultFixture): Promise<void>;
	command(fixture: FaultFixture): Command;
	/** What is wrong although the run said that all was done; `null` when nothing is. */
	promised(fixture: FaultFixture, ran: TracedRun): string | null;
	/** The run after the fault; the same one when it is left out. */
	next?(fixture: FaultFixture): Command[];
	/** What is wrong after it. `first` is the run that was struck, `held` what `before` gave between the two. */
	result(fixture: FaultFixture, next: TracedRun[], first: TracedRun, held: unknown): string | null;
	before?(fixture: FaultFixture): unknown;
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

const preCompact = (fixture: FaultFixture): Command => hook(fixture, "pre-compact", { trigger: "manual" });
const compacted = (fixture: FaultFixture): Command => hook(fixture, "session-start", { source: "compact" });
const resumed = (fixture: FaultFixture): Command => hook(fixture, "session-start", { source: "resume" });
const measured = (fixture: FaultFixture): Command => hook(fixture, "post-tool-batch", {});
const toolCall = (fixture: FaultFixture): Command => hook(fixture, "pre-tool-use", { tool_name: "Bash" });

const stopped = (fixture: FaultFixture): Command => hook(fixture, "stop", { background_tasks: [], session_crons: [] });

/** What the user said stands in the event log once, and in the context. */
function contextFault({ store }: FaultFixture): string | null {
	const { records, broken } = readRecords(sessionAt(storeAt(store), SID));
	if (broken > 1) return `${broken} broken lines in the event log`;
	for (const said of [WORDS, LATER_WORDS]) {
		const count = records.filter((one) => one.kind === "message" && one.text === said).length;
		if (count !== 1) return `the event log holds "${said}" ${count} times`;
		if (
			!loadSnapshot(sessionAt(storeAt(store), SID), new Date()).recent_history.some(({ content }) =>
				content.includes(said),
			)
		)
			return `the context lacks "${said}"`;
	}
	return null;
}

/** A hook has no other way to say that all went well than to have nothing to say in the log. */
const isQuiet = ({ store }: FaultFixture, { code, err }: TracedRun): boolean =>
	code === 0 && err === "" && textOf(join(store, "log", "ccg.log")) === null;

const words = ({ store }: FaultFixture, key: string | undefined): string =>
	(key &&
		loadCheckpoint(sessionAt(storeAt(store), SID), key)
			?.state.messages.map(({ text }) => text)
			.join("\n")) ||
	"";

/** The checkpoint that is pending is whole and up to date. */
function checkpointFault(fixture: FaultFixture): string | null {
	const pending = readPending(sessionAt(storeAt(fixture.store), SID));
	if (!pending) return "nothing is pending";
	return words(fixture, pending.key).includes(LATER_WORDS) ? null : "the pending checkpoint lacks the last words";
}

/** What the recovery block names is there to be read. */
function readableFault({ store }: FaultFixture): string | null {
	const session = sessionAt(storeAt(store), SID);
	const text = textOf(checkpointPath(session, latestKey(session) ?? ""));
	return text?.includes(LATER_WORDS) ? null : `the readable form: ${text}`;
}

const nudges = (...runs: TracedRun[]): number => runs.filter(({ out }) => out.includes("hookSpecificOutput")).length;

const settings = ({ home }: FaultFixture): string => join(home, ".claude", "settings.json");
const SLASH = ["commands/ccg/checkpoint.md", "commands/ccg/task.md", "agents/context-guardian.md"];
const slash = (fixture: FaultFixture, name: string): string => join(settings(fixture), "..", name);
const CLAUDE_FILE = '{\n  "numStartups": 7,\n  "mcpServers": {},\n  "oauthAccount": { "id": 1 }\n}';
const claudeFile = ({ home }: FaultFixture): string => join(home, ".claude.json");
const SETTINGS = '{\n  "model": "opus",\n  "hooks": {}\n}';
const NOTE = "Tests need Redis on port 6380.";
const memory = ({ store }: FaultFixture): string => {
	const [project] = readdirSync(join(store, "projects"));
	return join(store, "projects", project!, "MEMORY.md");
};
const EDITED = "Tests need Redis on port 6390.";
const globalMemory = ({ store }: FaultFixture): string => join(store, "MEMORY.md");
const count = (text: string | null, part: string): number => (text ?? "").split(part).length - 1;

/** `ccg task` from inside of the session, which the store need not know yet. */
const ccgTask = (fixture: FaultFixture, ...args: string[]): Command => inSession(fixture, "task", ...args);

const inSession = (fixture: FaultFixture, ...args: string[]): Command => {
	const command = ccg(fixture, ...args);
	return { ...command, env: { ...command.env, CLAUDE_CODE_SESSION_ID: SID } };
};

const task = ({ store }: FaultFixture): TaskState | null => {
	const text = textOf(join(sessionPaths(store, SID).folder, "task-state.json"));
	return text ? JSON.parse(text) : null;
};

export const WRITE_PATHS: WritePath[] = [
	{
		name: "PreCompact: checkpoint, log",
		prepare: async (fixture) => {
			await steps(measured(fixture), preCompact(fixture));
			goOn(fixture);
		},
		command: preCompact,
		promised: (fixture, ran) => (ran.code === 0 && ran.out.trim() ? checkpointFault(fixture) : null),
		result: (fixture, [next]) => (next!.out.includes(LATER_WORDS) ? checkpointFault(fixture) : "no steering text"),
	},
	{
		name: "SessionStart after a compaction",
		prepare: async (fixture) => {
			await steps(measured(fixture), toolCall(fixture), preCompact(fixture));
			goOn(fixture, { boundary: true });
		},
		command: compacted,
		promised: (fixture, ran) => {
			if (!ran.out.includes("ccg recovery precompact_checkpoint_")) return null;
			const committed = readCommitted(sessionAt(storeAt(fixture.store), SID));
			if (!committed || readPending(sessionAt(storeAt(fixture.store), SID))) return "given, but not committed";
			return existsSync(join(sessionPaths(fixture.store, SID).injected, `${committed.key}.compact`))
				? isQuiet(fixture, ran)
					? readableFault(fixture)
					: null
				: "injected, but not kept as injected";
		},
		next: (fixture) => [resumed(fixture)],
		// the checkpoint is taken anew from the transcript
		otherRoute: {
			struck: /^openat.*\/(?:pending|checkpoints\/[^"]*)\.json", O_RDONLY/,
			files: /sessions\/|observed-triggers\.json|\/log\//,
		},
		result: (_, [next]) => (next!.out.includes("ccg recovery") ? null : "the resumed session gets no block"),
	},
	{
		name: "PostCompact: summary, report, what the user is told",
		prepare: async (fixture) => {
			await steps(measured(fixture), preCompact(fixture));
			goOn(fixture, { boundary: true });
			await steps(compacted(fixture));
		},
		command: (fixture) => hook(fixture, "post-compact", { compact_summary: "The user works on billing." }),
		promised: (fixture, ran) => {
			if (!isQuiet(fixture, ran)) return null;
			if (readSummary(sessionAt(storeAt(fixture.store), SID), "") === null) return "no summary";
			if (readReports(sessionAt(storeAt(fixture.store), SID)).length !== 1) return "no report";
			return readLossNote(sessionAt(storeAt(fixture.store), SID))?.back ? null : "nothing for the user";
		},
		result: (fixture) =>
			readReports(sessionAt(storeAt(fixture.store), SID))[0]?.key ===
				readRecoveryInjection(sessionAt(storeAt(fixture.store), SID))?.key &&
			readSummary(sessionAt(storeAt(fixture.store), SID), "")?.includes("billing")
				? null
				: "no report of this compaction",
	},
	{
		name: "usage: measurement, marker dropped",
		prepare: async (fixture) => {
			await steps(measured(fixture), toolCall(fixture), preCompact(fixture));
			goOn(fixture, { boundary: true });
			await steps(compacted(fixture));
			goOn(fixture);
		},
		command: measured,
		// whose zone before is not known writes that it changed
		otherRoute: { struck: /^openat.*\/usage\.json", O_RDONLY/, files: /events\.jsonl/ },
		promised: (fixture, ran) => {
			if (!isQuiet(fixture, ran)) return null;
			if (readUsage(sessionAt(storeAt(fixture.store), SID))?.tokens !== 155_000) return "no measurement";
			return markerState(sessionAt(storeAt(fixture.store), SID)) === "marker" ? null : "no marker";
		},
		result: (fixture) =>
			markerState(sessionAt(storeAt(fixture.store), SID)) === "marker" &&
			readUsage(sessionAt(storeAt(fixture.store), SID))?.tokens === 155_000
				? null
				: "no marker or measurement",
	},
	{
		name: "Stop: session snapshot and event log",
		prepare: async (fixture) => {
			await steps(stopped(fixture));
			goOn(fixture);
		},
		command: stopped,
		promised: (fixture, ran) => (isQuiet(fixture, ran) ? contextFault(fixture) : null),
		readings: /state\.json|events\.jsonl/,
		result: contextFault,
	},
	{
		name: "PreToolUse: marker claimed",
		prepare: (fixture) => steps(measured(fixture)),
		command: toolCall,
		promised: (fixture, ran) =>
			nudges(ran) && markerState(sessionAt(storeAt(fixture.store), SID)) !== "nudged"
				? "nudged, but the cycle is open"
				: null,
		before: (fixture) => markerState(sessionAt(storeAt(fixture.store), SID)),
		result: (_, [next], first, held) => {
			if (nudges(first, next!) > 1) return "nudged twice";
			// at most once: between the claim and the answer a kill loses the nudge of this cycle
			return held === "marker" && nudges(next!) !== 1 ? "the marker stood and nobody was nudged" : null;
		},
	},
	{
		name: "PreToolUse: follow-up block injected",
		prepare: async (fixture) => {
			await steps(measured(fixture), toolCall(fixture), preCompact(fixture));
			goOn(fixture, { boundary: true });
			await steps(compacted(fixture));
		},
		command: toolCall,
		promised: () => null,
		result: (_, [next]) => (next!.code === 0 ? null : "failed"),
	},
	{
		name: "status line, kept for a time without Bun",
		prepare: (fixture) => steps(statusLine(fixture, 40_000)),
		command: (fixture) => statusLine(fixture, 50_000),
		// without the last measurement the zone counts as new
		otherRoute: { struck: /usage\.json", O_RDONLY/, files: /events\.jsonl$/ },
		// it prints its line and ends 0 whatever happens; what is kept is whole, the old one or the new one
		promised: (fixture, { out }) => {
			const kept = textOf(sessionPaths(fixture.store, SID).statusLine) ?? "";
			return kept === out || /40k\/167k.*\n$/.test(kept) ? null : `kept: ${kept}`;
		},
		result: (fixture, [next]) =>
			textOf(sessionPaths(fixture.store, SID).statusLine) === next!.out ? null : "not kept",
	},
	{
		name: "memory save",
		prepare: (fixture) => steps(ccg(fixture, "memory", "save", "The first note.")),
		command: (fixture) => ccg(fixture, "memory", "save", NOTE),
		promised: (fixture, { code }) => (code === 0 && !count(textOf(memory(fixture)), NOTE) ? "not in the file" : null),
		result: (fixture) => {
			const text = textOf(memory(fixture));
			return count(text, NOTE) === 1 && count(text, "The first note.") === 1 ? null : `wrong: ${text}`;
		},
	},
	{
		name: "memory delete",
		prepare: (fixture) =>
			steps(ccg(fixture, "memory", "save", "The first note."), ccg(fixture, "memory", "save", NOTE)),
		command: (fixture) => ccg(fixture, "memory", "delete", "--yes", NOTE),
		promised: (fixture, { code }) => (code === 0 && count(textOf(memory(fixture)), NOTE) ? "still in the file" : null),
		result: (fixture) => {
			const text = textOf(memory(fixture));
			return count(text, NOTE) === 0 && count(text, "The first note.") === 1 ? null : `wrong: ${text}`;
		},
	},
	{
		name: "memory edit",
		prepare: (fixture) =>
			steps(ccg(fixture, "memory", "save", "The first note."), ccg(fixture, "memory", "save", NOTE)),
		command: (fixture) => ccg(fixture, "memory", "edit", "2", EDITED),
		promised: (fixture, { code }) => (code === 0 && !count(textOf(memory(fixture)), EDITED) ? "not in the file" : null),
		result: (fixture) => {
			const text = textOf(memory(fixture));
			const isRight = count(text, EDITED) === 1 && count(text, NOTE) === 0 && count(text, "The first note.") === 1;
			return isRight ? null : `wrong: ${text}`;
		},
		// known of the text before and of the new one, as long as either may stand
		readings: /notes\.json/,
	},
	{
		name: "memory move",
		prepare: (fixture) =>
			steps(ccg(fixture, "memory", "save", "The first note."), ccg(fixture, "memory", "save", NOTE)),
		command: (fixture) => ccg(fixture, "memory", "move", NOTE, "--to", "global"),
		promised: (fixture, { code }) => {
			if (code !== 0) return null;
			return count(textOf(globalMemory(fixture)), NOTE) && !count(textOf(memory(fixture)), NOTE) ? null : "not moved";
		},
		before: (fixture) => count(textOf(globalMemory(fixture)), NOTE) + count(textOf(memory(fixture)), NOTE),
		result: (fixture, _, __, held) => {
			const [here, there] = [textOf(memory(fixture)), textOf(globalMemory(fixture))];
			if (held !== 1 && held !== 2) return `it stood in ${held} files`;
			const isRight = count(there, NOTE) === 1 && count(here, NOTE) === 0 && count(here, "The first note.") === 1;
			return isRight ? null : `wrong: ${here} and ${there}`;
		},
		readings: /notes\.json/,
	},
	{
		name: "memory save --target log",
		prepare: (fixture) => steps(ccg(fixture, "memory", "save", "--target", "log", "The first line.")),
		command: (fixture) => ccg(fixture, "memory", "save", "--target", "log", NOTE),
		promised: (fixture, { code }) => (code === 0 && !count(logText(fixture), NOTE) ? "not in the log" : null),
		result: (fixture) => {
			const text = logText(fixture);
			return count(text, NOTE) === 1 && count(text, "The first line.") === 1 ? null : `wrong: ${text}`;
		},
	},
	{
		name: "task ensure: a task begins",
		prepare: async () => {},
		command: (fixture) => ccgTask(fixture, "ensure", "--goal", "port"),
		promised: (fixture, { code }) => (code === 0 && task(fixture)?.goal !== "port" ? "not begun" : null),
		result: (fixture, [next]) =>
			next!.code === 0 && task(fixture)?.status === "active" ? null : `stopped: ${next!.out}`,
	},
	{
		name: "task checkpoint, with its summary",
		prepare: (fixture) =>
			steps(ccgTask(fixture, "checkpoint", "--goal", "port", "--next", "first", "--decision", "kept")),
		command: (fixture) => ccgTask(fixture, "checkpoint", "--phase", "build", "--next", "second", "--pressure", "0.6"),
		promised: (fixture, { code }) =>
			code === 0 && task(fixture)?.next_action !== "second" ? "not in the state" : null,
		next: (fixture) => [ccgTask(fixture, "ensure", "--pressure", "0.6")],
		result: (fixture, [next], first) => {
			const now = task(fixture);
			if (next!.code !== 0) return `stopped: ${next!.out}${next!.err}`;
			if (now?.decisions[0]?.decision !== "kept") return "an earlier decision is gone";
			if (now.next_action !== "second" && (first.code === 0 || now.next_action !== "first"))
				return "neither old nor new";
			const text = textOf(join(sessionPaths(fixture.store, SID).folder, "summaries", "latest-summary.md")) ?? "";
			return text.includes(`- ${now.current_phase}\n`) ? null : "the summary says another phase";
		},
		otherRoute: { struck: /^openat/, files: /sessions\// },
	},
	{
		name: "settings install",
		prepare: async (fixture) => writeFileSync(settings(fixture), SETTINGS),
		command: (fixture) => ccg(fixture, "install", "--in-place", "--yes"),
		promised: (fixture, { code }) =>
			code === 0 && !textOf(settings(fixture))?.includes("hook pre-compact") ? "not registered" : null,
		next: (fixture) => [ccg(fixture, "install", "--in-place", "--yes"), ccg(fixture, "uninstall", "--yes")],
		result: (fixture, [install]) => {
			if (install!.code !== 0) return `the next install failed: ${install!.err}`;
			return textOf(settings(fixture)) === SETTINGS ? null : "the bytes of before did not come back";
		},
	},
	{
		name: "settings uninstall",
		prepare: async (fixture) => {
			writeFileSync(settings(fixture), SETTINGS);
			await steps(ccg(fixture, "install", "--in-place", "--yes"));
		},
		command: (fixture) => ccg(fixture, "uninstall", "--yes"),
		promised: (fixture, { code }) =>
			code === 0 && textOf(settings(fixture)) !== SETTINGS ? "not the bytes of before" : null,
		result: (fixture, [next]) => {
			if (next!.code !== 0) return `the next uninstall failed: ${next!.err}`;
			return textOf(settings(fixture)) === SETTINGS ? null : "the bytes of before did not come back";
		},
	},
	{
		name: "settings of the MCP server",
		prepare: async (stage) => {
			writeFileSync(claudeFile(stage), CLAUDE_FILE);
			await steps(ccg(stage, "install", "--in-place", "--yes"));
		},
		command: (stage) => ccg(stage, "install", "--in-place", "--mcp", "--yes"),
		promised: (stage, { code }) =>
			code === 0 && !textOf(claudeFile(stage))?.includes("bin/ccg") ? "not registered" : null,
		// (one that was killed in the lock is waited for, as Claude Code does)
		next: (stage) => [ccg(stage, "install", "--in-place", "--mcp", "--yes"), ccg(stage, "uninstall", "--yes")],
		result: (stage, [install]) => {
			if (install!.code !== 0) return `the next install failed: ${install!.err}`;
			return textOf(claudeFile(stage)) === CLAUDE_FILE ? null : "the bytes of before did not come back";
		},
	},
	{
		name: "slash commands beside settings",
		prepare: async (fixture) => {
			writeFileSync(settings(fixture), SETTINGS);
			await steps(ccg(fixture, "install", "--in-place", "--yes"));
		},
		command: (fixture) => ccg(fixture, "install", "--in-place", "--skills", "--yes"),
		promised: (fixture, { code }) =>
			code === 0 && SLASH.some((name) => !textOf(slash(fixture, name))?.includes("/ccg ")) ? "not written" : null,
		next: (fixture) => [ccg(fixture, "install", "--in-place", "--skills", "--yes"), ccg(fixture, "uninstall", "--yes")],
		result: (fixture, [install]) => {
			if (install!.code !== 0) return `the next install failed: ${install!.err}`;
			return SLASH.some((name) => existsSync(slash(fixture, name))) ? "a file stayed behind" : null;
		},
	},
	{
		name: "gc",
		prepare: async (fixture) => {
			await steps(measured(fixture));
			for (const id of ["old-1", "old-2", "new"]) {
				const folder = join(fixture.store, "sessions", id);
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
		command: (fixture) => ccg(fixture, "gc", "--json"),
		// what it could not look at it keeps, as it might be running
		promised: (_, { code, out }) => {
			if (code !== 0) return null;
			if (out === "") return "ended 0 and said nothing";
			const { deleted } = JSON.parse(out) as { deleted: { path: string }[] };
			return deleted.some(({ path }) => existsSync(path)) ? "said to be deleted, and there" : null;
		},
		before: (fixture) =>
			["old-1", "old-2", "new"].every((id) => {
				const folder = join(fixture.store, "sessions", id);
				return !existsSync(folder) || readdirSync(folder).length === 2;
			}),
		// the folder it was killed in is a stale temp file, which goes after an hour
		result: (fixture, [next], _, whole) => {
			if (!whole) return "a session was left in part";
			if (next!.code !== 0) return `the next one failed: ${next!.err}`;
			const left = readdirSync(join(fixture.store, "sessions")).filter((name) => !name.startsWith("."));
			return left.sort().join() === `new,${SID}` ? null : `left: ${left}`;
		},
	},
	{
		name: "ccg checkpoint save",
		prepare: async (fixture) => {
			await steps(measured(fixture), stopped(fixture));
			goOn(fixture);
		},
		command: (fixture) => inSession(fixture, "checkpoint", "save", "--json"),
		promised: (fixture, { code, out }) => (code === 0 && out ? savedFault(fixture, JSON.parse(out).key) : null),
		readings: /checkpoints\/manual_|checkpoint-log/,
		result: (fixture, [next]) =>
			next!.code === 0 ? savedFault(fixture, JSON.parse(next!.out).key) : `the next one failed: ${next!.err}`,
	},
	{
		name: "ccg checkpoint restore",
		prepare: async (fixture) => {
			await steps(measured(fixture), stopped(fixture), inSession(fixture, "checkpoint", "save", "--json"));
			goOn(fixture);
		},
		command: (fixture) => inSession(fixture, "checkpoint", "restore", "manual", "--json"),
		promised: ({ store }, { code, out }) => {
			if (code !== 0 || !out) return null;
			const { folder, followUpMarker } = sessionPaths(store, SID);
			return existsSync(join(folder, "restore.json")) && existsSync(followUpMarker) ? null : "asked for, and not there";
		},
		readings: /checkpoints\/manual_|restore\.json|checkpoint-log/,
		next: (fixture) => [
			inSession(fixture, "checkpoint", "restore", "manual", "--json"),
			toolCall(fixture),
			toolCall(fixture),
		],
		result: (_, next) =>
			count(next.map(({ out }) => out).join(""), "ccg restored") === 1 ? null : "it is not given back exactly once",
	},
	{
		name: "PreToolUse: a restored checkpoint",
		prepare: (fixture) =>
			steps(
				measured(fixture),
				stopped(fixture),
				inSession(fixture, "checkpoint", "save", "--json"),
				inSession(fixture, "checkpoint", "restore", "manual", "--json"),
			),
		command: toolCall,
		promised: ({ store }, { out }) =>
			out.includes("ccg restored") && existsSync(join(sessionPaths(store, SID).folder, "restore.json"))
				? "given back, and still due"
				: null,
		// killed behind the claim it is given back to nobody, as a follow-up block
		result: (_, [next], first) =>
			count(`${first.out}${next!.out}`, "ccg restored") <= 1 ? null : "it is given back twice",
	},
	{
		name: "SubagentStop: the end of a wave",
		prepare: async (fixture) => {
			await steps(measured(fixture), stopped(fixture));
			goOn(fixture);
		},
		command: (fixture) => hook(fixture, "subagent-stop", { agent_id: "a1", agent_type: "Explore" }),
		promised: (fixture, ran) => (isQuiet(fixture, ran) ? waveFault(fixture) : null),
		readings: /checkpoints\/wave_|checkpoint-triggers|checkpoint-log/,
		result: (fixture) => waveFault(fixture),
	},
];

/** What is named as saved is whole, up to date and the latest. */
function savedFault({ store }: FaultFixture, key: string): string | null {
	const session = sessionAt(storeAt(store), SID);
	if (!words({ store } as FaultFixture, key).includes(LATER_WORDS)) return `${key} lacks the last words`;
	return latestKey(session) === key ? null : `the latest is ${latestKey(session)}`;
}

function waveFault(fixture: FaultFixture): string | null {
	const key = latestKey(sessionAt(storeAt(fixture.store), SID)) ?? "";
	if (!key.startsWith("wave_")) return `the latest is ${key}`;
	return words(fixture, key).includes(LATER_WORDS) ? null : "the wave's checkpoint lacks the last words";
}

const logText = ({ store }: FaultFixture): string | null => {
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
