import type { Carrier } from "../../src/sync/carrier.ts";
import { pull, push } from "../../src/sync/exchange.ts";
import { newKeys, publicOf } from "../../src/sync/keys.ts";
import { write } from "../../src/sync/log.ts";
import type { Role } from "../../src/sync/members.ts";
import { headOf, type Log, logOf, membersIn, valuesOf } from "../../src/sync/state.ts";
import { openSync } from "../../src/sync/tables.ts";
import { memoryCarrier, newShelf } from "./sync-carrier.ts";

export const PROJECT_ID = "a".repeat(32);
const NOW = Date.parse("2026-11-24T10:00:00Z");

/** A space in memory: machines that share one carrier, the first its root. */
export function spaceOf(folder: string, names: readonly string[]) {
	const shelf = newShelf();
	const carrier: Carrier = memoryCarrier(shelf);
	let ms = NOW;
	const all = names.map((name) => ({ name, keys: newKeys() }));
	const space = { id: "5".repeat(32), root: publicOf(all[0]!.keys), nonce: "" };
	const logs = all.map(({ name, keys }) =>
		logOf(openSync(`${folder}/${name}.sqlite`, true)!.rows, space, keys, () => ++ms),
	);
	const grant = (by: Log, about: Log, role: Role): void => {
		const since = membersIn(by).has(about.machine) ? headOf(by, about.machine).seq : -1;
		const value = { ...publicOf(about.keys), role, since, name: names[logs.indexOf(about)], person: "p" };
		write(by, null, [{ item: `member:${about.machine}`, field: "role", value }]);
	};
	const note = (log: Log, id: string, text: string | null, replaces: string[] = []): string =>
		write(log, PROJECT_ID, [{ item: `note:${id}`, field: "text", value: text, replaces }])[0]!;
	const texts = (log: Log): unknown[] => valuesOf(log, "note:").map(({ value }) => value);
	const sync = async (...some: Log[]) => {
		const pulled = [];
		for (const log of some) {
			await push(log, carrier);
			pulled.push(await pull(log, carrier));
		}
		return pulled;
	};
	return { shelf, carrier, space, logs, keys: all.map(({ keys }) => keys), grant, note, texts, sync };
}
