import { coded, whyOf } from "../files/system-failure.ts";
import type { Env } from "../store/paths.ts";
import type { Store } from "../store/session-handle.ts";
import { openSigned, type Signed, signedIn } from "./bytes.ts";
import type { Carrier } from "./carrier.ts";
import { isPostgres, isReadByAll, openCarrier } from "./carriers.ts";
import { exchange } from "./exchange.ts";
import { type How, lastSync, type Named } from "./last.ts";
import { codeOf, loadMachine, newMachine, plainName, proofOf, shortMachine, withIdentity } from "./machine.ts";
import {
	alone,
	forgetSpace,
	keepDocument,
	keepOwn,
	keepSpace,
	type Opened,
	openSpace,
	ownDocument,
	type Space,
} from "./space.ts";

const AROUND = ["HOME", "USER", "LOGNAME", "PATH", "LANG"];

/** What of an environment is kept for exchanges. */
const aroundOf = (env: Env): Record<string, string> =>
	Object.fromEntries(AROUND.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));

type Place = Pick<Opened, "store"> & { space: Pick<Space, "address" | "around"> };
/** The carrier of a space, opened with what was kept for exchanges and the user's agent. */
const carrierOf = ({ store, space }: Place, { SSH_AUTH_SOCK }: Env, create = false): Promise<Carrier> =>
	openCarrier({ root: store.root, address: space.address, create, env: { ...space.around, SSH_AUTH_SOCK } });

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
	alone(opened.store, () => exchange(opened, () => carrierOf(opened, env), how), waitMs);

/** The documents that a carrier holds whose signatures are right, one after the other. */
async function* signedAt(carrier: Carrier): AsyncGenerator<Signed> {
	for (const { machine } of await carrier.list()) {
		const reading = carrier.get(machine).then((bytes) => bytes && signedIn(bytes));
		const signed = await reading.catch(() => null);
		if (signed?.machine === machine) yield signed;
	}
}

const headsAt = async (carrier: Carrier): Promise<Pick<Signed, "space" | "recipient">[]> =>
	Array.fromAsync(signedAt(carrier), ({ space, recipient = "" }) => ({ space, recipient }));

async function openedWith(store: Store, self: ReturnType<typeof newMachine>, space: Space): Promise<Opened> {
	const own = space.isEncrypted ? await withIdentity(store.root, self) : self;
	return { store, space, self: own, now: () => new Date() };
}

/** A space that begins on this machine; nothing of it leaves it before `begin`. */
export function newSpace(store: Store, address: string, env: Env, isEncrypted: boolean): Promise<Opened> {
	const id = crypto.randomUUID().replaceAll("-", "");
	const space = { id, address, isEncrypted, isPaused: false, projects: [], around: aroundOf(env) };
	return openedWith(store, newMachine(store.root, env), space);
}

/** Keeps a new space. Throws where its carrier holds one already, or everybody can read it. */
export async function begin(opened: Opened, env: Env): Promise<void> {
	const { address, isEncrypted, around } = opened.space;
	if (!isEncrypted && (await isReadByAll(address, around)))
		throw coded("EPUBLIC", `everybody can read ${address} without a password; make it private, or encrypt: --encrypt`);
	if ((await withCarrier(carrierOf(opened, env, true), headsAt)).length > 0)
		throw new Error(`${address} holds a space already: ccg sync join takes part in it`);
	keepSpace(opened);
}

/**
 * Asks to be let into the space of a carrier: writes a document that says so. Gives the code that a member types; `null` where a server's
 * login says who belongs. `isAnew`: as another machine than the one this store was.
 */
export async function requestJoin(
	store: Store,
	address: string,
	env: Env,
	isAnew = false,
): Promise<{ opened: Opened; code: string | null }> {
	const before = openSpace(store, { isForgotten: isAnew });
	if (before && before.space.address !== address && !isAnew)
		throw new Error(`this store shares by ${before.space.address} already; 'ccg sync leave' ends that`);
	const around = aroundOf(env);
	const there = await withCarrier(carrierOf({ store, space: { address, around } }, env), headsAt);
	const [id, ...more] = new Set(there.map(({ space }) => space));
	if (id === undefined) throw new Error(`${address} holds no space yet, or is not synchronised`);
	if (more.length > 0)
		throw new Error(
			`${address} holds documents of several spaces; move away those that 'ccg sync status' on a member does not name`,
		);
	const recipients = there.flatMap(({ recipient }) => recipient || []);
	const { projects = [] } = before?.space ?? {};
	const fresh = { id, address, isEncrypted: recipients.length > 0, isPaused: false, projects, around };
	if (isAnew) forgetSpace(store);
	// asked for twice, it is the same machine that asks
	const self = loadMachine(store.root) ?? newMachine(store.root, env);
	const opened = await openedWith(store, self, isAnew || !before ? fresh : before.space);
	keepSpace(opened);
	if (isPostgres(address)) return { opened, code: null };
	const code = codeOf(opened);
	const own = await ownDocument(opened);
	if (Object.keys(own.members).length === 0) {
		const bytes = await keepOwn(opened, { ...own, ask: proofOf("ask", opened, code, self.id), values: [] }, recipients);
		await withCarrier(carrierOf(opened, env), (carrier) => carrier.put(self.id, bytes));
	}
	return { opened, code };
}

/** Lets in the machine whose code was typed. Throws where none asks with the code. */
export const letIn = (opened: Opened, env: Env, code: string): Promise<Named> =>
	withCarrier(carrierOf(opened, env), async (carrier) => {
		for await (const signed of signedAt(carrier)) {
			const asks = signed.space === opened.space.id && (await openSigned(signed, opened.self.keys).catch(() => null));
			if (!asks || asks.ask !== proofOf("ask", opened, code, asks.machine)) continue;
			const { machine } = asks;
			const own = await ownDocument(opened);
			const proof = proofOf("in", opened, code, opened.self.id, machine);
			const members = { ...own.members, [machine]: signed.recipient ?? "" };
			await keepOwn(opened, { ...own, members, letIn: { ...own.letIn, [machine]: proof } });
			return { machine, name: plainName(asks.name) };
		}
		throw new Error(
			"no machine asks with that code: look whether it was typed as the other machine shows it, and whether both see the same carrier",
		);
	});

/** Takes a machine out of the space, by its name or the beginning of its id. */
export async function takeFrom(opened: Opened, named: string): Promise<Named> {
	const own = await ownDocument(opened);
	const names = new Map(lastSync(opened).members.map(({ machine, name }) => [machine, name]));
	const all = Object.keys(own.members).filter((one) => names.get(one) === named || one.startsWith(named));
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
	withCarrier(carrierOf(opened, env), (carrier) => carrier.put(opened.self.id, null)).catch((error) => {
		const why = `its document can't be taken away (${whyOf(error)}), so nothing is forgotten here`;
		throw new Error(`${why}: try again, or where the carrier is gone for good: ccg sync leave --force`, {
			cause: error,
		});
	});
