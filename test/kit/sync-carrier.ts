import type { Carried, Carrier } from "../../src/sync/carrier.ts";

/** What lies behind carriers in memory: the batches of each machine and the documents. */
export interface Shelf {
	batches: Map<string, Carried[]>;
	documents: Map<string, Uint8Array>;
}

export const newShelf = (): Shelf => ({ batches: new Map(), documents: new Map() });

/** A carrier that keeps everything in memory, as the interface says; `before` and `after` run around each step of it, and may throw. */
export function memoryCarrier(shelf: Shelf, { before = () => {}, after = () => {} } = {}): Carrier {
	const step = async <T>(act: () => T): Promise<T> => {
		before();
		const given = act();
		after();
		return given;
	};
	const of = (machine: string): Carried[] => shelf.batches.get(machine) ?? [];
	return {
		heads: () =>
			step(() => {
				const held = [...shelf.batches].filter(([, batches]) => batches.length > 0);
				return new Map(held.map(([machine, all]) => [machine, { from: all[0]!.seq, to: all.at(-1)!.seq }]));
			}),
		read: (machine, seq, bytes = Number.POSITIVE_INFINITY) =>
			step(() => {
				let left = bytes;
				const found = of(machine).filter((one) => one.seq >= seq);
				return found.filter((one, i) => {
					left -= one.bytes.length;
					return i === 0 || left >= 0;
				});
			}),
		async append(machine, batches) {
			// each is a step: a kill leaves a beginning
			for (const one of batches)
				await step(() => {
					const held = of(machine);
					const last = held.at(-1)?.seq;
					if (last !== undefined && one.seq > last + 1) throw new Error(`batch ${one.seq} does not follow on ${last}`);
					if (last === undefined || one.seq > last) shelf.batches.set(machine, [...held, one]);
				});
		},
		forget: (machine, seq) =>
			step(() => {
				const left = of(machine).filter((one) => one.seq > seq);
				shelf.batches.set(machine, left);
			}),
		get: (name) => step(() => shelf.documents.get(name) ?? null),
		put: (name, bytes) => step(() => void shelf.documents.set(name, bytes)),
		list: (prefix) => step(() => [...shelf.documents.keys()].filter((name) => name.startsWith(prefix)).sort()),
		remove: (name) => step(() => void shelf.documents.delete(name)),
		pull: () => step(() => {}),
		push: () => step(() => {}),
		close: async () => {},
	};
}
