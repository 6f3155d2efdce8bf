import { pruneIdentifiers } from "../core/state/identifiers.ts";
import { emptyState, type SessionState } from "../core/state/session-state.ts";
import { readJson, writeJson } from "./json-file.ts";
import { sessionPaths } from "./paths.ts";

interface LedgerFile {
	offset: number;
	/** The transcript it was read from; another file starts a new ledger. */
	transcriptPath: string;
	state: SessionState;
}

/** The session's state as of the last reading, or `null` when there is none that fits this transcript. */
export function loadLedger(
	root: string,
	sid: string,
	transcriptPath: string,
): { offset: number; state: SessionState } | null {
	const file = readJson<LedgerFile>(sessionPaths(root, sid).state);
	if (
		!file ||
		file.transcriptPath !== transcriptPath ||
		!Number.isSafeInteger(file.offset) ||
		file.state?.version !== 3
	)
		return null;
	return { offset: file.offset!, state: { ...emptyState(), ...file.state } };
}

export function saveLedger(
	root: string,
	sid: string,
	transcriptPath: string,
	offset: number,
	state: SessionState,
): void {
	state.identifiers = pruneIdentifiers(state.identifiers, state.order);
	writeJson(sessionPaths(root, sid).state, { offset, transcriptPath, state } satisfies LedgerFile, { sync: false });
}
