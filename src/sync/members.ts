import { quietly } from "../files/quietly.ts";
import { whyOf } from "../files/system-failure.ts";
import type { Env } from "../store/paths.ts";
import type { Store } from "../store/session-handle.ts";
import { signedIn } from "./bytes.ts";
import { documentsAt } from "./carrier.ts";
import { isPostgres, openCarrier } from "./carriers.ts";
import { MAX_REMOVED } from "./document.ts";
import { exchange } from "./exchange.ts";
import { type How, lastSync, type Named } from "./last.ts";
import { codeOf, newMachine, proofOf } from "./machine.ts";
import { alone, isOfCopy, keepOwn, keepSpace, keptSigned, type Opened, openSpace, ownDocument } from "./space.ts";

/** Gives the variables of an environment that a space keeps for its exchanges. */
const aroundOf = (env: Env): Env =>
	Object.fromEntries(["HOME", "USER", "LOGNAME", "PATH", "LANG"].map((name) => [name, env[name]]));

/** Does an exchange; only one at a time runs in a store. */
export const syncNow = (opened: Opened, env: Env, { waitMs = 10_000, ...how }: How & { waitMs?: number } = {}) =>
	alone(opened.store, () => exchange(opened, (of) => openCarrier(of, env), how), waitMs);

/** Makes a space that begins on this machine; nothing of it is written or sent before `begin`. */
export async function newSpace(store: Store, address: string, env: Env, isEncrypted: boolean): Promise<Opened> {
	const self = await newMachine(env, isEncrypted);
	return { store, tell: store.tell, space: { self, address, isEncrypted, projects: [], around: aroundOf(env) } };
}

/** Begins a new space: opens its carrier and writes down the space. Throws where the carrier holds a space already. */
export async function begin(opened: Opened, env: Env): Promise<void> {
	await using carrier = await openCarrier(opened, env, true);
	const { address } = opened.space;
	if ((await documentsAt(carrier, address)).size > 0)
		throw new Error(`machines share by ${address} already: ccg sync join takes part`);
	keepSpace(opened);
}

/**
 * Asks to be let into the space of a carrier, by a document that says so. Gives the code to be typed on a member; `null` where a server's
 * login says who belongs. Where this store is a copy of a member's, or its machine was taken out, it asks as a new machine.
 */
export async function requestJoin(store: Store, address: string, env: Env): Promise<string | null> {
	const before = openSpace(store);
	if (before && before.space.address !== address)
		throw new Error(`this store shares by ${before.space.address} already; 'ccg sync leave' ends that`);
	const space = before?.space ?? { address, around: aroundOf(env), projects: [] };
	await using carrier = await openCarrier({ store, space }, env);
	const kept = before && keptSigned(before, before.space.self.id);
	const recipients: string[] = [];
	let [isThere, isCopied] = [false, false];
	for (const machine of (await documentsAt(carrier, address)).keys()) {
		const bytes = await carrier.get(machine).catch(() => null);
		const signed = bytes && quietly(() => signedIn(bytes));
		if (signed?.machine !== machine) continue;
		if (signed.recipient) recipients.push(signed.recipient);
		[isThere, isCopied] = [true, isCopied || isOfCopy(kept, signed)];
	}
	if (before && !isCopied) {
		// asked for twice, it is the same machine that asks; who was taken out is a new one
		if ((await ownDocument(before)).ask) return codeOf(before.space.self);
		if (lastSync(before).isMember) throw new Error(`this machine shares by ${address} already`);
	}
	if (!isThere) throw new Error(`nothing is shared by ${address} yet, or it is not synchronised`);
	const isEncrypted = recipients.length > 0;
	const self = await newMachine(env, isEncrypted);
	const opened = { store, tell: store.tell, space: { ...space, self, isEncrypted } };
	const code = isPostgres(address) ? null : codeOf(self);
	if (code) {
		const ask = proofOf("ask", code, self.id);
		await carrier.put(self.id, await keepOwn(opened, { ...(await ownDocument(opened)), ask }, recipients));
	}
	keepSpace(opened);
	return code;
}

/** Takes another machine out of the space; `named` is the beginning of its name or its id. */
export const takeFrom = (opened: Opened, named: string): Promise<Named> =>
	alone(opened.store, async () => {
		const own = await ownDocument(opened);
		const isMeant = ({ machine, name }: Named): boolean => machine.startsWith(named) || name.startsWith(named);
		const [gone, ...more] = lastSync(opened).members.filter(isMeant);
		if (!gone || more.length > 0)
			throw new Error(`${gone ? "several members" : "no other member"} '${named}'; 'ccg sync status' shows them`);
		const { [gone.machine]: _, ...members } = own.members;
		const removed = [...new Set([gone.machine, ...own.removed])].slice(0, MAX_REMOVED);
		await keepOwn(opened, { ...own, members, removed });
		return gone;
	});

/** Takes this machine's document away from the carrier. Throws where the carrier can't be reached: then nothing is forgotten here. */
export const leave = (opened: Opened, env: Env): Promise<void> =>
	alone(opened.store, async () => {
		try {
			await using carrier = await openCarrier(opened, env);
			await carrier.put(opened.space.self.id, null);
		} catch (error) {
			const why = `its document can't be taken away, so nothing is forgotten here: ${whyOf(error)}`;
			throw new Error(`${why}; where that place is gone for good: ccg sync leave --force`, { cause: error });
		}
	});
