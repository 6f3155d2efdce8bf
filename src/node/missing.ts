/** What the bundles use of JavaScript and Node 20 lacks: helpers of iterators, `groupBy`. */
export function addMissing(): void {
	define(Map, "groupBy", (items: Iterable<unknown>, keyOf: (item: unknown, i: number) => unknown) => {
		const groups = new Map<unknown, unknown[]>();
		let i = 0;
		for (const item of items) {
			const key = keyOf(item, i++);
			const group = groups.get(key);
			if (group) group.push(item);
			else groups.set(key, [item]);
		}
		return groups;
	});
	define(Object, "groupBy", (items: Iterable<unknown>, keyOf: (item: unknown, i: number) => PropertyKey) => {
		const groups = Object.create(null) as Record<PropertyKey, unknown[]>;
		let i = 0;
		for (const item of items) {
			const key = keyOf(item, i++);
			groups[key] ??= [];
			groups[key].push(item);
		}
		return groups;
	});
	define(Promise, "withResolvers", () => {
		let resolve: unknown;
		let reject: unknown;
		const promise = new Promise((yes, no) => {
			resolve = yes;
			reject = no;
		});
		return { promise, resolve, reject };
	});
	const iterator = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
	for (const [name, helper] of Object.entries(HELPERS)) define(iterator, name, helper);
	for (const [name, relation] of Object.entries(SETS)) define(Set.prototype, name, relation);
}

function define(on: object, name: string, value: unknown): void {
	if (!(name in on)) Object.defineProperty(on, name, { value, writable: true, configurable: true });
}

type Items = Iterable<unknown>;
type Act = (item: unknown, i: number) => unknown;

/** Those that give an iterator are generators: nothing is read before it is asked for. */
export const HELPERS = {
	*map(this: Items, act: Act) {
		let i = 0;
		for (const item of this) yield act(item, i++);
	},
	*filter(this: Items, act: Act) {
		let i = 0;
		for (const item of this) if (act(item, i++)) yield item;
	},
	*flatMap(this: Items, act: Act) {
		let i = 0;
		for (const item of this) yield* act(item, i++) as Items;
	},
	*take(this: Items, many: number) {
		if (many <= 0) return;
		let i = 0;
		for (const item of this) {
			yield item;
			if (++i >= many) return;
		}
	},
	*drop(this: Items, many: number) {
		let i = 0;
		for (const item of this) if (i++ >= many) yield item;
	},
	some(this: Items, act: Act) {
		let i = 0;
		for (const item of this) if (act(item, i++)) return true;
		return false;
	},
	every(this: Items, act: Act) {
		let i = 0;
		for (const item of this) if (!act(item, i++)) return false;
		return true;
	},
	find(this: Items, act: Act) {
		let i = 0;
		for (const item of this) if (act(item, i++)) return item;
		return undefined;
	},
	forEach(this: Items, act: Act) {
		let i = 0;
		for (const item of this) act(item, i++);
	},
	reduce(this: Items, act: (sum: unknown, item: unknown, i: number) => unknown, ...from: [unknown?]) {
		return from.length > 0 ? [...this].reduce(act, from[0]) : [...this].reduce(act);
	},
	toArray(this: Items) {
		return [...this];
	},
};

type Values = ReadonlySet<unknown>;

export const SETS = {
	union(this: Values, other: Values) {
		return new Set([...this, ...other.keys()]);
	},
	intersection(this: Values, other: Values) {
		return new Set([...this].filter((one) => other.has(one)));
	},
	difference(this: Values, other: Values) {
		return new Set([...this].filter((one) => !other.has(one)));
	},
	isSubsetOf(this: Values, other: Values) {
		return [...this].every((one) => other.has(one));
	},
	isSupersetOf(this: Values, other: Values) {
		return [...other.keys()].every((one) => this.has(one));
	},
	isDisjointFrom(this: Values, other: Values) {
		return ![...this].some((one) => other.has(one));
	},
};
