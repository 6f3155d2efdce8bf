/** How much may still be looked at. Whoever finds it spent stops and says so. */
export interface Budget {
	/** Takes one look; `false` when none is left. */
	look(): boolean;
	/** Takes bytes to be read; `false` when there are not so many left. */
	bytes(count: number): boolean;
}

export function budgetOf({ looks, bytes, ms }: { looks: number; bytes: number; ms: number }): Budget {
	const end = performance.now() + ms;
	let left = looks;
	let bytesLeft = bytes;
	return {
		look: () => --left >= 0 && ((left & 7) !== 0 || performance.now() < end),
		bytes(count) {
			if (count > bytesLeft || performance.now() >= end) return false;
			bytesLeft -= count;
			return true;
		},
	};
}
