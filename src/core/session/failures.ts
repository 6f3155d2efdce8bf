/** Tells of a session what stands last about it in the lines of the log; `null` without one. */
export function failuresIn(log: string): (sid: string) => { at: string; where: string; reason: string } | null {
	const lines = log.split("\n");
	return (sid) => {
		const about = ` ${sid}: `;
		const line = lines.findLast((one) => one.includes(about));
		if (line === undefined) return null;
		const from = line.indexOf(" ");
		const to = line.indexOf(about);
		return { at: line.slice(0, from), where: line.slice(from + 1, to), reason: line.slice(to + about.length) };
	};
}
