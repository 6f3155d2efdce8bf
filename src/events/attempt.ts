/** A part that may fail without the rest failing. */
export function attempt(log: (reason: unknown) => void, act: () => void): void {
	try {
		act();
	} catch (error) {
		log(error);
	}
}
