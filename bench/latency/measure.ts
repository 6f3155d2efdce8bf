import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sessionPaths } from "../../src/store/paths.ts";
import { type BenchSandbox, withOwnHome } from "./bench-sandbox.ts";
import { agentCommands, compactedCommands } from "./commands.ts";
import {
	afterCompaction,
	hook,
	idle,
	idleStop,
	nudge,
	preCompact,
	preCompactCurrent,
	roomyStartup,
	runOnce,
	startup,
	statusLine,
	stopBehindTurn,
	transcriptPath,
	usage,
} from "./hooks.ts";
import { openCount, peakMemoryMb, processCount, readKb, syncCount, writtenKb } from "./once.ts";
import { peerHookEntries } from "./peer-hooks.ts";
import { ccstatusline, originalDesign } from "./peers.ts";
import { hangingCarriers } from "./silent-carriers.ts";
import type { LatencyRow } from "./table.ts";
import { median, type Pair, type Subject, type Taken, timePairs, untilQuiet } from "./timed.ts";
import {
	largestTranscript,
	PREFIX_BYTES,
	SHAPES,
	SYNTHETIC_BYTES,
	syntheticTranscript,
	withoutBoundaries,
	writeWithHistory,
} from "./transcripts.ts";

export interface MeasureOptions {
	runs: number;
	/** Folder of transcripts; without it a synthetic one is made. */
	data?: string | undefined;
	/** Only rows whose name contains this. */
	only: string;
	/** Where the other status lines are kept; without it they are not measured. */
	peerCache?: string | undefined;
	say(line: string): void;
}

/** A pair to time. `limit`: the highest ratio. */
interface Entry extends Pair {
	limit?: number | undefined;
	/** What the limit is of. */
	by?: LatencyRow["by"];
	note?: string | undefined;
}

const WARM_UP = 3;
const MAX_MEMORY_MB = 90;

/** Measures everything on one fixture, in rounds. */
export async function measure(sandbox: BenchSandbox, options: MeasureOptions): Promise<LatencyRow[]> {
	const { runs, only, say } = options;
	const wanted = (subject: Subject): boolean => subject.name.includes(only);
	const sh = shell(sandbox);
	const bun = emptyBun(sandbox);
	// the first Stop fills the index in the background: not while transcripts of 250 MB lie there
	runOnce(hook(sandbox, "Stop", { name: "Stop", sid: "first", project: sandbox.work }));
	await untilQuiet(sandbox.home);
	// (first: transcripts of 250 MB are not to be copied with the home)
	const shared = await sharedEntries(sandbox);
	const { grown, entries: compactions } = compactionEntries(sandbox, bun, options);
	const beside = options.peerCache && "beside".includes(only) ? peerHookEntries(sandbox, options.peerCache, say) : null;
	const entries: Entry[] = [
		...hotEntries(sandbox, sh, bun, options),
		...shared,
		...compactions,
		...(beside?.entries ?? []),
	].filter(({ subject }) => wanted(subject));

	const started = performance.now();
	const times = await timePairs(entries, runs, WARM_UP, (round) => {
		if (round > 0 && (round % 10 === 0 || round === runs))
			say(`round ${round} of ${runs}, ${Math.round((performance.now() - started) / 1000)} s`);
	}).finally(() => beside?.stop());
	const rows: LatencyRow[] = [sh, bun].flatMap((base) => {
		const all = times.flatMap((one, i) => (entries[i]!.base === base ? one.base.map(({ wall }) => wall) : []));
		return all.length ? [{ name: `base: ${base.name}`, unit: "ms" as const, value: median(all) }] : [];
	});
	for (const [i, { subject, base, limit, note, by = "wall" }] of entries.entries()) {
		const middle = (taken: Taken[], kind: "wall" | "cpu"): number => median(taken.map((one) => one[kind]));
		const [taken, based] = [times[i]!.subject, times[i]!.base];
		const kind = by === "cpu" ? "cpu" : "wall";
		const baseMs = middle(based, kind);
		const ratio = middle(taken, kind) / baseMs;
		const [value, cpuMs] = [middle(taken, "wall"), middle(taken, "cpu")];
		rows.push({ name: subject.name, unit: "ms", value, cpuMs, base: base.name, baseMs, ratio, by, limit, note });
	}
	say("counting what must not happen, and memory …");
	rows.push(
		...countRows(
			sandbox,
			entries.map(({ subject }) => subject),
			bun,
		),
	);
	for (const subject of grown.filter(wanted)) {
		const value = await peakMemoryMb(subject, sandbox.folder);
		rows.push({ name: `peak memory, ${subject.name}`, unit: "MB", value, limit: MAX_MEMORY_MB });
	}
	return rows;
}

/** What people wait for at every step, and the start of a session. */
function hotEntries(sandbox: BenchSandbox, sh: Subject, bun: Subject, { peerCache, say }: MeasureOptions): Entry[] {
	mkdirSync(join(sandbox.root, "run", "flush"), { recursive: true });
	mkdirSync(sessionPaths(sandbox.root, "nudge").folder, { recursive: true });
	const quiet = idle(sandbox);
	const { CLAUDE_CODE_SESSION_ID: _, ...nameless } = quiet.env;
	return [
		{ subject: quiet, base: sh, limit: 1.1 },
		{ subject: { ...quiet, name: "PreToolUse, no marker, session not named", env: nameless }, base: sh },
		{ subject: statusLine(sandbox), base: bun, limit: 1.8 },
		...(peerCache ? peerEntries(sandbox, bun, peerCache, say) : []),
		{ subject: nudge(sandbox), base: bun, limit: 1.8 },
		{ subject: startup(sandbox), base: bun, limit: 2.8 },
		...agentCommands(sandbox).map((subject) => ({ subject, base: bun, limit: COMMAND_LIMITS[subject.name] })),
	];
}

/** A start where notes are shared, beside one where they are not; also where what carries them hangs. */
async function sharedEntries(sandbox: BenchSandbox): Promise<Entry[]> {
	const ways = { "a folder": sandbox.plain, ...(await hangingCarriers()) };
	const base = { ...(await roomyStartup(sandbox, "not shared")), name: "a start without sharing" };
	const subjects = Object.entries(ways).map(([what, address]) => roomyStartup(sandbox, `shared by ${what}`, address));
	return (await Promise.all(subjects)).map((subject) => ({ subject, base, limit: MAX_APART_MS, by: "apart" }));
}

const MAX_APART_MS = 5;

const COMMAND_LIMITS: Record<string, number> = {
	"ccg memory save": 3.2,
	"ccg recall": 3.6,
	"ccg checkpoint list": 3,
	"ccg --version": 1.3,
};

function peerEntries(sandbox: BenchSandbox, base: Subject, cache: string, say: (line: string) => void): Entry[] {
	const original = originalDesign(sandbox.folder);
	if (!original) say("skipped: the original design's status line needs bash and jq");
	const other = ccstatusline(cache);
	if (!other) say("skipped: ccstatusline needs node, and npm to bring it");
	return [original, other]
		.filter((peer) => peer !== null)
		.map(({ name, command }) => ({ subject: statusLine(sandbox, command, name), base, note: "peer" }));
}

/** Everything that reads a transcript. `grown`: those whose peak memory counts. */
function compactionEntries(
	sandbox: BenchSandbox,
	bun: Subject,
	{ data, only, say }: MeasureOptions,
): { entries: Entry[]; grown: Subject[] } {
	if (!/PreCompact|compact|usage|boundar|MB|Stop|recall|checkpoint/.test(only || "MB"))
		return { entries: [], grown: [] };
	say("preparing transcripts …");
	const broken = data ? largestTranscript(data) : syntheticTranscript(SYNTHETIC_BYTES, sandbox.work);
	const unbroken = withoutBoundaries(broken);
	const write = (sid: string, transcript: Buffer, history: Buffer | null): string => {
		writeWithHistory(transcriptPath(sandbox, sid), history ?? transcript, history ? PREFIX_BYTES : 0, transcript);
		return sid;
	};
	for (const sid of ["compact", "no-git", "again", "usage", "turn"]) write(sid, broken, null);
	const compacted = withOwnHome(sandbox, "compacted");
	const stops = (data ? SHAPES.slice(0, 1) : SHAPES).map((shape) => {
		write(`stop-${shape}`, data ? broken : syntheticTranscript(SYNTHETIC_BYTES, sandbox.work, shape), null);
		return idleStop(sandbox, `stop-${shape}`, shape);
	});
	const size = `${(broken.length / 1024 / 1024).toFixed(1)} MB`;
	const one = preCompact(sandbox, `PreCompact, ${size}`, write("broken", broken, null));
	const two = preCompact(sandbox, `PreCompact, ${size} without a boundary`, write("unbroken", unbroken, null));
	const grow = (to: Subject, transcript: Buffer, history: Buffer, what: string) => ({
		to,
		subject: preCompact(
			sandbox,
			`${to.name} + 250 MB ${what}`,
			write(`grown-${to.name.length}-${what.length}`, transcript, history),
		),
	});
	const grown = [
		grow(one, broken, unbroken, "without"),
		grow(one, broken, broken, "with boundaries"),
		grow(two, unbroken, unbroken, "without"),
		grow(two, unbroken, broken, "with boundaries"),
	];
	return {
		entries: [
			...stops.map((subject) => ({ subject, base: bun, limit: 2.5, by: "cpu" as const })),
			{ subject: stopBehindTurn(sandbox, "turn"), base: bun, limit: 8, by: "cpu" },
			{ subject: afterCompaction(compacted, "compact"), base: bun, limit: 4 },
			...compactedCommands(compacted, "compact").map((subject) => ({
				subject,
				base: bun,
				limit: COMMAND_LIMITS[subject.name],
			})),
			{ subject: usage(sandbox, "usage"), base: bun, limit: 1.8 },
			{ subject: preCompactCurrent(sandbox, "again"), base: bun, limit: 4 },
			{
				subject: preCompact(sandbox, `PreCompact, ${size}, outside of git`, "no-git", { project: sandbox.plain }),
				base: bun,
			},
			{ subject: one, base: bun, limit: 12 },
			{ subject: two, base: bun, limit: 12 },
			...grown.map(({ subject, to }) => ({ subject, base: { ...to, name: "it" }, limit: 1.2 })),
		],
		grown: grown.map(({ subject }) => subject),
	};
}

/** Counts, where times would hide it. */
function countRows(sandbox: BenchSandbox, subjects: Subject[], bun: Subject): LatencyRow[] {
	const { folder, root } = sandbox;
	const row = (name: string, unit: LatencyRow["unit"], value: number | null, limit: number): LatencyRow => {
		const note = value === null ? "not counted (strace)" : undefined;
		return { name, unit, value, limit, note };
	};
	const sidOf = ({ stdin }: Subject): string => JSON.parse(stdin).session_id;
	return subjects.flatMap((subject) => {
		const { name } = subject;
		if (name === "PreToolUse, no marker")
			return [row(`${name}: processes`, "processes", processCount(subject, folder), 1)];
		if (name === "status line") {
			const [own, empty] = [openCount(subject, folder), openCount(bun, folder)];
			return [row(`${name}: files beyond an empty script`, "files", own === null ? null : own - empty!, 8)];
		}
		if (name.startsWith("Stop, nothing new"))
			return [
				row(`${name}: read`, "KB", readKb(subject, folder, transcriptPath(sandbox, sidOf(subject))), 64),
				row(`${name}: written`, "KB", writtenKb(subject, folder, root), 0),
			];
		if (/^(?:PreToolUse, nudge|SessionStart|PreCompact|Stop)/.test(name) && !name.includes("250 MB"))
			return [row(`${name}: syncs`, "syncs", syncCount(subject, folder), name.startsWith("Stop") ? 2 : 1)];
		return [];
	});
}

function shell(sandbox: BenchSandbox): Subject {
	return {
		name: "sh",
		argv: ["/bin/sh", "-c", ":"],
		stdin: "{}",
		env: sandbox.env("base", sandbox.work),
		cwd: sandbox.work,
	};
}

function emptyBun(sandbox: BenchSandbox): Subject {
	const script = join(sandbox.folder, "empty.js");
	writeFileSync(script, "");
	return { ...shell(sandbox), name: "bun", argv: [process.execPath, "--config=/dev/null", "--no-env-file", script] };
}
