import { quietly } from "../files/quietly.ts";
import { whyOf } from "../files/system-failure.ts";
import type { Env } from "../store/paths.ts";
import type { Store } from "../store/session-handle.ts";
import { signedIn } from "./bytes.ts";
import type { Carrier } from "./carrier.ts";
import { isPostgres, openCarrier } from "./carriers.ts";
import { exchange } from "./exchange.ts";
import { type How, lastSync, type Named } from "./last.ts";
import { codeOf, newMachine, proofOf, shortMachine } from "./machine.ts";
import {
	alone,
	isOfCopy,
	keepDocument,
	keepOwn,
	keepSpace,
	keptSigned,
	type Opened,
	openedWith,
	openSpace,
	ownDocument,
} from "./space.ts";

const AROUND = ["HOME", "USER", "LOGNAME", "PATH", "LANG"];

/** What of an environment is kept for exchanges. */
const aroundOf = (env: Env): Record<string, string> =>
	Object.fromEntries(AROUND.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));

async function withCarrier<T>(opening: Promise<Carrier>, act: (carrier: Carrier) => Promise<T>): Promise<T> {
	const carrier = await opening;
	try {
		return await act(carrier);
	} finally {
		await carrier.close();
	}
}

/** An exchange, one at a time in a store. */
export const syncNow = (opened: Opened, env: Env, { waitMs = 10_000, ...how }: How & { waitMs?: number } = {}) =>
	alone(opened.store, () => exchange(opened, () => openCarrier(opened, env), how), waitMs);

/** A space that begins on this machine; nothing of it leaves it before `begin`. */
export async function newSpace(store: Store, address: string, env: Env, isEncrypted: boolean): Promise<Opened> {
	const self = await newMachine(env, isEncrypted);
	return openedWith(store, { self, address, isEncrypted, projects: [], around: aroundOf(env) });
}

/** Keeps a new space. Throws where its carrier holds one already. */
export async function begin(opened: Opened, env: Env): Promise<void> {
	const { address } = opened.space;
	if ((await withCarrier(openCarrier(opened, env, true), (carrier) => carrier.list())).length > 0)
		throw new Error(`${address} holds a space already: ccg sync join takes part in it`);
	keepSpace(opened);
}

/**
 * Asks to be let into the space of a carrier: writes a document that says so. Gives the code that a member types; `null` where a server's
 * login says who belongs. Where the store is a copy of a member's, it asks as another machine.
 */
export async function requestJoin(store: Store, address: string, env: Env): Promise<string | null> {
	const before = openSpace(store);
	if (before && before.space.address !== address)
		throw new Error(`this store shares by ${before.space.address} already; 'ccg sync leave' ends that`);
	const space = before?.space ?? { address, around: aroundOf(env), projects: [] };
	return withCarrier(openCarrier({ store, space }, env), async (carrier) => {
		const kept = before && keptSigned(before, before.space.self.id, store.tell);
		const recipients: string[] = [];
		let [isThere, isCopied] = [false, false];
		for (const { machine } of await carrier.list()) {
			const bytes = await carrier.get(machine).catch(() => null);
			const signed = bytes && quietly(() => signedIn(bytes));
			if (signed?.machine !== machine) continue;
			if (signed.recipient) recipients.push(signed.recipient);
			[isThere, isCopied] = [true, isCopied || isOfCopy(kept, signed)];
		}
		const withCode = !isPostgres(address);
		// asked for twice, it is the same machine that asks
		if (before && !isCopied) return withCode ? codeOf(before.space.self) : null;
		if (!isThere) throw new Error(`${address} holds no space yet, or is not synchronised`);
		const isEncrypted = recipients.length > 0;
		const self = await newMachine(env, isEncrypted);
		const opened = openedWith(store, { ...space, self, isEncrypted });
		const code = withCode ? codeOf(self) : null;
		if (code) {
			const ask = proofOf("ask", code, self.id);
			await carrier.put(self.id, await keepOwn(opened, { ...(await ownDocument(opened)), ask }, recipients));
		}
		keepSpace(opened);
		return code;
	});
}

/** Takes a machine out of the space, by the beginning of its name or its id. */
export async function takeFrom(opened: Opened, named: string): Promise<Named> {
	const own = await ownDocument(opened);
	const names = new Map(lastSync(opened).members.map(({ machine, name }) => [machine, name]));
	const all = Object.keys(own.members).filter((one) => [one, names.get(one)].some((id) => id?.startsWith(named)));
	const [machine, ...more] = all;
	if (!machine || more.length > 0)
		throw new Error(`${machine ? "several members" : "no other member"} '${named}'; 'ccg sync status' shows them`);
	const { [machine]: _, ...members } = own.members;
	keepDocument(opened.store, machine, null);
	await keepOwn(opened, { ...own, members, removed: [...own.removed, machine] });
	return { machine, name: names.get(machine) ?? shortMachine(machine) };
}

/** Takes this machine's document away. Throws where the carrier can't be told: then nothing is forgotten here. */
export const leave = (opened: Opened, env: Env): Promise<void> =>
	withCarrier(openCarrier(opened, env), (carrier) => carrier.put(opened.space.self.id, null)).catch((error) => {
		const why = `its document can't be taken away, so nothing is forgotten here: ${whyOf(error)}`;
		throw new Error(`${why}; where the carrier is gone for good: ccg sync leave --force`, { cause: error });
	});
