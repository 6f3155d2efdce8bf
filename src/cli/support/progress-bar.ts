import type { Io } from "./io.ts";

const BAR = 24;

/** A bar where somebody waits at a terminal, four times a second at most; `null` ends it. */
export function progressBar(io: Io, what: string, total: number, json?: boolean): (done: number | null) => void {
	const { progress: show } = io;
	if (json || !show) return () => {};
	let last = 0;
	return (done) => {
		const at = performance.now();
		if (done !== null && at - last < 250) return;
		last = at;
		if (done === null) return show("");
		const share = total === 0 ? 1 : Math.min(1, done / total);
		const filled = Math.round(share * BAR);
		show(`${what} ${"█".repeat(filled)}${"░".repeat(BAR - filled)} ${Math.round(share * 100)} %`);
	};
}
