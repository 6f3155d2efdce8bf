/** A log that takes the first failure of a run only, as of a transcript that several parts can't read. */
export function firstOnly(log: (reason: unknown) => void): (reason: unknown) => void {
	let told = false;
	return (reason) => {
		if (!told) log(reason);
		told = true;
	};
}

/** A part that may fail without the rest failing. */
export function attempt(log: (reason: unknown) => void, act: () => void): void {
	try {
		act();
	} catch (error) {
		log(error);
	}
}
