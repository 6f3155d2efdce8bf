/**
 * A schema as `FileKind` takes it: gives the value, or what is wrong with it and where. Zod's schemas are of this form; hot
 * entries, which import no library, take the checks below (zod/mini costs a start about a millisecond).
 */
export interface Schema<T> {
	safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: readonly SchemaIssue[] } };
}

interface SchemaIssue {
	path: readonly PropertyKey[];
	message: string;
}

/** Gives the value, with what is missing filled in where there is something to fill in with; throws where a type is wrong. */
export type Check<T> = (value: unknown) => T;

/** The checks as a schema. */
export function shape<T>(check: Check<T>): Schema<T> {
	return {
		safeParse: (value) => {
			try {
				return { success: true, data: check(value) };
			} catch (error) {
				const { path = [], message } = error as Mismatch;
				return { success: false, error: { issues: [{ path: path.toReversed(), message }] } };
			}
		},
	};
}

/** `path` from the inside out. */
type Mismatch = Error & { path?: string[] };

const mismatch = (message: string): Mismatch => new Error(message);

/** Runs a check on a part; its failure names the part. */
function part<T>(name: string, check: Check<T>, value: unknown): T {
	try {
		return check(value);
	} catch (error) {
		const found = error as Mismatch;
		found.path ??= [];
		found.path.push(name);
		throw found;
	}
}

export const text: Check<string> = (value) => {
	if (typeof value !== "string") throw mismatch("must be a string");
	return value;
};

export const number: Check<number> = (value) => {
	if (typeof value !== "number" || !Number.isFinite(value)) throw mismatch("must be a number");
	return value;
};

export const flag: Check<boolean> = (value) => {
	if (typeof value !== "boolean") throw mismatch("must be true or false");
	return value;
};

export const literal =
	<const T>(wanted: T): Check<T> =>
	(value) => {
		if (value !== wanted) throw mismatch(`must be ${JSON.stringify(wanted)}`);
		return wanted;
	};

export const nullable =
	<T>(check: Check<T>): Check<T | null> =>
	(value) =>
		value === null ? null : check(value);

export const optional =
	<T>(check: Check<T>): Check<T | undefined> =>
	(value) =>
		value === undefined ? undefined : check(value);

/** What is missing is filled in; what is of the wrong type is not. */
export const or =
	<T>(check: Check<T>, usual: T): Check<T> =>
	(value) =>
		value === undefined ? usual : check(value);

/** No list of the store is as long; a file that says so is not ours. */
const MAX_ITEMS = 5_000;
const MAX_NAMES = 50_000;

export const listOf =
	<T>(check: Check<T>): Check<T[]> =>
	(value) => {
		if (!Array.isArray(value)) throw mismatch("must be a list");
		if (value.length > MAX_ITEMS) throw mismatch(`must have ${MAX_ITEMS} items at most`);
		return value.map((one, i) => part(String(i), check, one));
	};

/** An object that maps names to values of one form. */
export const recordOf =
	<T>(check: Check<T>): Check<Record<string, T>> =>
	(value) => {
		const entries = Object.entries(anObject(value));
		if (entries.length > MAX_NAMES) throw mismatch(`must have ${MAX_NAMES} names at most`);
		return Object.fromEntries(entries.map(([name, one]) => [name, part(name, check, one)]));
	};

/** An object with these fields. Fields it does not name stay: a later release of the same version may have added them. */
export function object<F extends Record<string, Check<unknown>>>(
	fields: F,
): Check<{ [K in keyof F]: ReturnType<F[K]> }> {
	const names = Object.keys(fields);
	return (value) => {
		const found = { ...anObject(value) };
		for (const name of names) {
			const checked = part(name, fields[name]!, found[name]);
			if (checked !== undefined) found[name] = checked;
		}
		return found as { [K in keyof F]: ReturnType<F[K]> };
	};
}

/**
 * An object with the fields of an example: what is missing is taken from it, what is of another type than there is wrong.
 * `parts` says more of single fields; one that is `null` in the example is only known by its part.
 */
export function like<T extends object>(example: () => T, parts: { [K in keyof T]?: Check<T[K]> } = {}): Check<T> {
	const names = [...new Set([...Object.keys(example()), ...Object.keys(parts)])];
	return (value) => {
		const found = { ...anObject(value) };
		const usual = example() as Record<string, unknown>;
		for (const name of names) {
			const check = (parts as Record<string, Check<unknown> | undefined>)[name] ?? typed(usual[name]);
			const checked = found[name] === undefined ? usual[name] : part(name, check, found[name]);
			if (checked !== undefined) found[name] = checked;
		}
		return found as T;
	};
}

/** What a value of an example asks of the others. */
function typed(usual: unknown): Check<unknown> {
	if (typeof usual === "string") return text;
	if (typeof usual === "number") return number;
	if (typeof usual === "boolean") return flag;
	if (Array.isArray(usual)) return listOf((one) => one);
	return usual === null ? (value) => value : anObject;
}

function anObject(value: unknown): Record<string, unknown> {
	if (value === null || typeof value !== "object" || Array.isArray(value)) throw mismatch("must be an object");
	return value as Record<string, unknown>;
}
