import type { Carried, Carrier } from "../../src/sync/carrier.ts";

/** What lies behind carriers in memory: the batches of each machine and the documents. */
export interface Shelf {
	batches: Map<string, Carried[]>;
	documents: Map<string, Uint8Array>;
}

export const newShelf = (): Shelf => ({ batches: new Map(), documents: new Map() });

/** A carrier that keeps everything in memory, as the interface says. */
export function memoryCarrier(shelf: Shelf): Carrier {
	const of = (machine: string): Carried[] => shelf.batches.get(machine) ?? [];
	return {
		async heads() {
			const held = [...shelf.batches].filter(([, batches]) => batches.length > 0);
			return new Map(held.map(([machine, all]) => [machine, { from: all[0]!.seq, to: all.at(-1)!.seq }]));
		},
		async read(machine, seq, bytes = Number.POSITIVE_INFINITY) {
			let left = bytes;
			const found = of(machine).filter((one) => one.seq >= seq);
			return found.filter((one, i) => {
				left -= one.bytes.length;
				return i === 0 || left >= 0;
			});
		},
		async append(machine, batches) {
			for (const one of batches) {
				const held = of(machine);
				const last = held.at(-1)?.seq;
				if (last !== undefined && one.seq > last + 1) throw new Error(`batch ${one.seq} does not follow on ${last}`);
				if (last === undefined || one.seq > last) shelf.batches.set(machine, [...held, one]);
			}
		},
		async forget(machine, seq) {
			const left = of(machine).filter((one) => one.seq > seq);
			shelf.batches.set(machine, left);
		},
		get: async (name) => shelf.documents.get(name) ?? null,
		put: async (name, bytes) => void shelf.documents.set(name, bytes),
		list: async (prefix) => [...shelf.documents.keys()].filter((name) => name.startsWith(prefix)).sort(),
		remove: async (name) => void shelf.documents.delete(name),
		async push() {},
		async close() {},
	};
}
