/** What a reader or writer of the store met and went on from. */
export interface StoreProblem {
	text: string;
	/** It stays until somebody sees to it (a newer or unreadable file), so every run meets it; else it was dealt with once. */
	lasting: boolean;
}

let tell: (problem: StoreProblem) => void = () => {};
const told = new Set<string>();

/** Where this process tells what its store's files are like; each thing once. Set by whoever runs a hook or a command. */
export function onStoreProblem(listener: (problem: StoreProblem) => void): void {
	tell = listener;
	told.clear();
}

export function storeProblem(problem: StoreProblem): void {
	if (told.has(problem.text)) return;
	told.add(problem.text);
	tell(problem);
}
