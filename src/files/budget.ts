/** How much may still be looked at. Whoever finds it spent stops and says so. */
export interface WorkBudget {
	/** Takes one look; `false` when none is left. */
	look(): boolean;
	/** Takes bytes to be read; `false` when there are not so many left. */
	bytes(count: number): boolean;
	/** Whether the time is over. */
	late(): boolean;
}

export interface Limits {
	looks: number;
	bytes: number;
	/** Of this process's own work: on a busy machine the clock runs while nothing is done. */
	workMs: number;
	/** By the clock: a slow disk does no work. */
	clockMs: number;
}

export function budgetOf({ looks, bytes, workMs, clockMs }: Limits): WorkBudget {
	const end = performance.now() + clockMs;
	const begun = process.cpuUsage();
	let left = looks;
	let bytesLeft = bytes;
	const late = (): boolean => {
		if (performance.now() >= end) return true;
		const { user, system } = process.cpuUsage(begun);
		return (user + system) / 1000 >= workMs;
	};
	return {
		late,
		look: () => --left >= 0 && ((left & 31) !== 0 || !late()),
		bytes(count) {
			if (count > bytesLeft || late()) return false;
			bytesLeft -= count;
			return true;
		},
	};
}
