import { pruneIdentifiers } from "../../core/state/identifiers.ts";
import { emptyState, type SessionState } from "../../core/state/session-state.ts";
import type { TranscriptNode } from "../../core/transcript/active-branch.ts";
import { sessionPaths } from "../paths.ts";
import { type Check, listOf, literal, nullable, number, object, optional, or, shape, text } from "../shape.ts";
import { type FileKind, readGood, writeVersioned } from "../versioned-file.ts";
import { stateShape } from "./state-shape.ts";

interface LedgerFile {
	version: 1;
	offset: number;
	/** The transcript it was read from; another file starts a new ledger. */
	transcriptPath: string;
	/** The last lines of the active branch. */
	last: TranscriptNode[];
	/** `null`: folded by a release that kept less, so the transcript is read anew. */
	state: SessionState | null;
}

const nodes = listOf(
	object({ uuid: text, parent: optional(nullable(text)), kind: text, messageId: optional(text) }),
) as Check<TranscriptNode[]>;

/** Derived: the transcript holds everything, so neither an earlier version nor a damaged one is worth anything. */
const LEDGER: FileKind<LedgerFile> = {
	name: "ledger",
	version: 1,
	schema: shape(
		object({ version: literal(1), offset: number, transcriptPath: text, last: or(nodes, []), state: completeState }),
	),
	passing: true,
};

/** Of another version, or lacking what today's has: nothing to be filled in, as the transcript has it. */
function completeState(value: unknown): SessionState | null {
	const state = stateShape(value);
	const given = value as Record<string, unknown>;
	return Object.keys(emptyState()).every((name) => given[name] !== undefined) ? state : null;
}

/** The session's state as of the last reading, or `null` when there is none that fits this transcript. */
export function loadLedger(
	root: string,
	sid: string,
	transcriptPath: string,
): { offset: number; state: SessionState; last: TranscriptNode[] } | null {
	const file = readGood(sessionPaths(root, sid).state, LEDGER);
	if (file?.transcriptPath !== transcriptPath || !Number.isSafeInteger(file.offset) || file.offset < 0) return null;
	if (file.state?.version !== emptyState().version) return null;
	// a file of a release that did not look for branches may hold what the user rewound
	return file.offset > 0 && file.last.length === 0 ? null : { offset: file.offset, state: file.state, last: file.last };
}

export function saveLedger(
	root: string,
	sid: string,
	transcriptPath: string,
	{ offset, state, last }: { offset: number; state: SessionState; last: TranscriptNode[] },
): void {
	state.identifiers = pruneIdentifiers(state.identifiers, state.order);
	const file: LedgerFile = { version: 1, offset, transcriptPath, last, state };
	writeVersioned(sessionPaths(root, sid).state, LEDGER, file, { sync: false });
}
