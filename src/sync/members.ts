import { join } from "node:path";
import { tryOrUndefined } from "../files/quietly.ts";
import { errorText } from "../files/system-failure.ts";
import { withLongLock } from "../store/lock.ts";
import type { Env } from "../store/paths.ts";
import type { Store } from "../store/session-handle.ts";
import { parseSigned } from "./bytes.ts";
import { listDocuments } from "./carrier.ts";
import { isPostgres, openCarrier } from "./carriers.ts";
import { MAX_REMOVED } from "./document.ts";
import { syncOnce } from "./exchange.ts";
import { type NamedMachine, readLastSync, type SyncOptions } from "./last.ts";
import { joinCode, joinProof, newMachine } from "./machine.ts";
import type { OpenSpace } from "./space.ts";
import { isFromCopy, readOwnDocument, readSpace, readStoredDocument, writeOwnDocument, writeSpace } from "./space.ts";

/** Gives the variables of an environment that a space keeps, so that each exchange runs with them. */
const keptVariables = (env: Env): Env =>
	Object.fromEntries(["HOME", "USER", "LOGNAME", "PATH", "LANG"].map((name) => [name, env[name]]));

/** Runs `act` while it holds the lock of the store's space; waits up to `waitMs` for another process that has it. */
export const withLockedSpace = <T>({ root }: Store, act: () => Promise<T>, waitMs = 10_000): Promise<T> =>
	withLongLock(join(root, "run", "sync"), act, { waitMs });

/** Does one exchange. Only one at a time runs in a store: another is waited for, for `waitMs`. */
export const syncNow = (opened: OpenSpace, env: Env, { waitMs, ...how }: SyncOptions & { waitMs?: number } = {}) =>
	withLockedSpace(opened.store, () => syncOnce(opened, (space) => openCarrier(space, env), how), waitMs);

/** Makes a space that begins on this machine; nothing of it is written or sent before `beginSpace`. */
export async function newSpace(store: Store, address: string, env: Env, isEncrypted: boolean): Promise<OpenSpace> {
	const self = await newMachine(env, isEncrypted);
	const space = { self, address, isEncrypted, projects: [], around: keptVariables(env) };
	return { store, onProblem: store.onProblem, space };
}

/** Begins a new space: opens its carrier and writes down the space. Throws where the carrier holds a space already. */
export async function beginSpace(opened: OpenSpace, env: Env): Promise<void> {
	await using carrier = await openCarrier(opened, env, true);
	const { address } = opened.space;
	if ((await listDocuments(carrier, address)).size > 0)
		throw new Error(`machines share by ${address} already: ccg sync join takes part`);
	writeSpace(opened);
}

/**
 * Asks to be let into the space of a carrier, by a document that says so. Gives the code to be typed on a member; `null` where a server's
 * login says who belongs. Where this store is a copy of a member's, or its machine was taken out, it asks as a new machine.
 */
export async function requestJoin(store: Store, address: string, env: Env): Promise<string | null> {
	const before = readSpace(store);
	if (before && before.space.address !== address)
		throw new Error(`this store shares by ${before.space.address} already; 'ccg sync leave' ends that`);
	const space = before?.space ?? { address, around: keptVariables(env), projects: [] };
	await using carrier = await openCarrier({ store, space }, env);
	const stored = before && readStoredDocument(before, before.space.self.id);
	const recipients: string[] = [];
	let [isAnyThere, isCopied] = [false, false];
	for (const machine of (await listDocuments(carrier, address)).keys()) {
		const bytes = await carrier.get(machine).catch(() => null);
		const signed = bytes && tryOrUndefined(() => parseSigned(bytes));
		if (signed?.machine !== machine) continue;
		if (signed.recipient) recipients.push(signed.recipient);
		[isAnyThere, isCopied] = [true, isCopied || isFromCopy(stored, signed)];
	}
	if (before && !isCopied) {
		// (asked again, the same machine shows the same code)
		if ((await readOwnDocument(before)).ask) return joinCode(before.space.self);
		if (readLastSync(before).isMember) throw new Error(`this machine shares by ${address} already`);
	}
	if (!isAnyThere) throw new Error(`nothing is shared by ${address} yet, or it is not synchronised`);
	const isEncrypted = recipients.length > 0;
	const self = await newMachine(env, isEncrypted);
	const opened = { store, onProblem: store.onProblem, space: { ...space, self, isEncrypted } };
	const code = isPostgres(address) ? null : joinCode(self);
	if (code) {
		const ask = joinProof("ask", code, self.id);
		await carrier.put(self.id, await writeOwnDocument(opened, { ...(await readOwnDocument(opened)), ask }, recipients));
	}
	writeSpace(opened);
	return code;
}

/** Removes another machine from the space; `named` is the beginning of its name or its id. Gives that machine. */
export const removeMember = (opened: OpenSpace, named: string): Promise<NamedMachine> =>
	withLockedSpace(opened.store, async () => {
		const own = await readOwnDocument(opened);
		const isNamed = ({ machine, name }: NamedMachine): boolean => machine.startsWith(named) || name.startsWith(named);
		const [member, ...more] = readLastSync(opened).members.filter(isNamed);
		if (!member || more.length > 0)
			throw new Error(`${member ? "several members" : "no other member"} '${named}'; 'ccg sync status' shows them`);
		const { [member.machine]: _, ...members } = own.members;
		const removed = [...new Set([member.machine, ...own.removed])].slice(0, MAX_REMOVED);
		await writeOwnDocument(opened, { ...own, members, removed });
		return member;
	});

/** Deletes this machine's document at the carrier, as it leaves the space. Throws where the carrier can't be reached. */
export const removeOwnDocument = (opened: OpenSpace, env: Env): Promise<void> =>
	withLockedSpace(opened.store, async () => {
		try {
			await using carrier = await openCarrier(opened, env);
			await carrier.put(opened.space.self.id, null);
		} catch (error) {
			const why = `its document can't be taken away, so nothing is forgotten here: ${errorText(error)}`;
			throw new Error(`${why}; where that place is gone for good: ccg sync leave --force`, { cause: error });
		}
	});
