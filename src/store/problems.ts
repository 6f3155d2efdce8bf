/** What a reader or writer of the store met and went on from. */
export interface StoreProblem {
	text: string;
	/** It stays until somebody sees to it (a newer or unreadable file), so every run meets it; else it was dealt with once. */
	lasting: boolean;
}

/** Where a store's readers and writers tell what its files are like. Never throws. */
export type Tell = (problem: StoreProblem) => void;

/** A `Tell` that tells `listener` each thing once: several readers of one run meet the same file. */
export function tellOnce(listener: Tell): Tell {
	const told = new Set<string>();
	return (problem) => {
		if (told.has(problem.text)) return;
		told.add(problem.text);
		listener(problem);
	};
}
