import { type Command, InvalidArgumentError } from "commander";
import { nthLineStart, readSession } from "../claude/read-session.ts";
import { readWorkspace } from "../claude/workspace.ts";
import { recoveryBlock } from "../core/recovery/recovery-block.ts";
import { reconcileFlights } from "../core/state/background-account.ts";
import { foldLastResults } from "../core/state/name-counts.ts";
import { readBackground } from "../store/background-record.ts";
import { loadConfig, MAX_GIVEN_CHARS } from "../store/config.ts";
import { loadLedger } from "../store/ledger.ts";
import { isSessionId, storeRoot } from "../store/paths.ts";
import { readSessions } from "../store/session-status.ts";
import { readUsage } from "../store/usage-record.ts";
import type { Io } from "./io.ts";

interface Options {
	session?: string;
	transcript?: string;
	at?: number;
	budget?: number;
}

export function registerShow(program: Command, io: Io): void {
	program
		.command("show")
		.description("print what would be given back if the conversation were compacted now")
		.option("--session <id>", "of this session (default: the one seen last)")
		.option("--transcript <file>", "of this transcript file")
		.option("--at <line>", "as before this line of the transcript, from 1", wholeNumber)
		.option("--budget <chars>", `characters, 500 to ${MAX_GIVEN_CHARS}`, wholeNumber)
		.addHelpText(
			"after",
			"\nExamples:\n  ccg show\n  ccg show --transcript ~/.claude/projects/x/y.jsonl --at 400 --budget 2000",
		)
		.action((options: Options) => show(options, io));
}

export function show(options: Options, io: Io, now = new Date()): void {
	const root = storeRoot(io.env);
	const { sid, transcript, cwd } = source(options, root, now);
	const { config } = loadConfig(root, { ...(sid ? { sid } : {}), folder: cwd || io.cwd });
	const until = options.at === undefined ? undefined : nthLineStart(transcript, options.at);
	const ledger = root && sid && until === undefined ? loadLedger(root, sid, transcript) : null;
	const { state, lookedAt } = readSession(transcript, ledger, until);
	foldLastResults(state, lookedAt);
	const account = root && sid && until === undefined ? readBackground(root, sid) : null;
	if (account) reconcileFlights(state, account);
	const maxChars = Math.max(500, Math.min(MAX_GIVEN_CHARS, options.budget ?? config.recovery.maxChars));
	const workspace = cwd ? readWorkspace(cwd, now) : null;
	io.out(recoveryBlock({ state, workspace, key: "(not saved)", path: "(not saved)", maxChars }));
}

function source(
	{ session, transcript }: Options,
	root: string | null,
	now: Date,
): { sid: string | null; transcript: string; cwd: string } {
	if (transcript) return { sid: null, transcript, cwd: "" };
	if (!root) throw new Error("neither CCG_HOME nor HOME is set, so no session is known; name a file with --transcript");
	const sid = session ?? readSessions(root, now)[0]?.session;
	const usage = sid && isSessionId(sid) ? readUsage(root, sid) : null;
	if (!sid || !usage?.transcriptPath)
		throw new Error(
			`${session ? `no session ${session}` : "no session"} in ${root}; 'ccg status --all' lists those known, --transcript names a file`,
		);
	return { sid, transcript: usage.transcriptPath, cwd: usage.cwd ?? "" };
}

function wholeNumber(value: string): number {
	if (!/^\d+$/.test(value)) throw new InvalidArgumentError("it must be a whole number");
	return Number(value);
}
