/** When the compactor summarises and what it keeps. Imports nothing: hot entries load the defaults. */
export interface CompactionRules {
	/** More history entries than this are summarised … */
	historyEntries: number;
	/** … the oldest, so many at a time. */
	summariseEntries: number;
	/** More tokens than this: half of the history is summarised. */
	maxTokens: number;
	/** The newest are always kept. */
	keepEntries: number;
	/** Completed tasks older than this are dropped. */
	finishedTaskHours: number;
	/** Bound of the long-term summary. */
	summaryChars: number;
}

export const DOCUMENT_RULES: CompactionRules = {
	historyEntries: 50,
	summariseEntries: 20,
	maxTokens: 100_000,
	keepEntries: 30,
	finishedTaskHours: 24,
	summaryChars: 8_000,
};
