/**
 * One object for the whole process under a name: the first that was made. A bundle that is loaded later has a copy of each module, and
 * would make a second one.
 */
export function oncePerProcess<T extends object>(name: string, made: T): T {
	const all = globalThis as { ccg?: Record<string, object> };
	all.ccg = { [name]: made, ...all.ccg };
	return all.ccg[name] as T;
}
