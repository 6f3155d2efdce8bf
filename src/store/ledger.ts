import { pruneIdentifiers } from "../core/state/identifiers.ts";
import { emptyState, type SessionState } from "../core/state/session-state.ts";
import { sessionPaths } from "./paths.ts";
import { literal, number, object, shape, text } from "./shape.ts";
import { stateShape } from "./state-shape.ts";
import { type FileKind, readGood, unversioned, writeVersioned } from "./versioned-file.ts";

interface LedgerFile {
	version: 1;
	offset: number;
	/** The transcript it was read from; another file starts a new ledger. */
	transcriptPath: string;
	state: SessionState;
}

/** Derived: the transcript holds everything, so neither an earlier version nor a damaged one is worth anything. */
const LEDGER: FileKind<LedgerFile> = {
	name: "ledger",
	version: 1,
	schema: shape(object({ version: literal(1), offset: number, transcriptPath: text, state: stateShape })),
	migrations: unversioned,
	passing: true,
};

/** The session's state as of the last reading, or `null` when there is none that fits this transcript. */
export function loadLedger(
	root: string,
	sid: string,
	transcriptPath: string,
): { offset: number; state: SessionState } | null {
	const file = readGood(sessionPaths(root, sid).state, LEDGER);
	if (file?.transcriptPath !== transcriptPath || !Number.isSafeInteger(file.offset) || file.offset < 0) return null;
	return file.state.version === emptyState().version ? { offset: file.offset, state: file.state } : null;
}

export function saveLedger(
	root: string,
	sid: string,
	transcriptPath: string,
	offset: number,
	state: SessionState,
): void {
	state.identifiers = pruneIdentifiers(state.identifiers, state.order);
	const file: LedgerFile = { version: 1, offset, transcriptPath, state };
	writeVersioned(sessionPaths(root, sid).state, LEDGER, file, { sync: false });
}
