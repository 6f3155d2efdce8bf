/**
 * What holds for a whole process: what is loaded when it is needed is a bundle of its own, with a copy of each module. Gives what the first
 * of them made under a name.
 */
export function ofProcess<T extends object>(name: string, made: T): T {
	const all = globalThis as { ccg?: Record<string, object> };
	all.ccg = { [name]: made, ...all.ccg };
	return all.ccg[name] as T;
}
