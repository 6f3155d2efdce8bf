const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Cleans up when the process is asked to end (Ctrl+C), then ends it by that same signal, as if nobody had listened. Gives what
 * takes the listeners away again.
 */
export function onStop(cleanUp: () => Promise<void>): () => void {
	let stopping = false;
	const listeners = SIGNALS.map((signal) => {
		const listener = (): void => {
			if (stopping) return;
			stopping = true;
			void cleanUp().finally(() => {
				forget();
				process.kill(process.pid, signal);
			});
		};
		process.on(signal, listener);
		return { signal, listener };
	});
	const forget = (): void => {
		for (const { signal, listener } of listeners) process.removeListener(signal, listener);
	};
	return forget;
}
