import { rmSync } from "node:fs";
import { join } from "node:path";
import { coded, whyOf } from "../../files/system-failure.ts";
import { folderOf } from "../../memory/notes-file.ts";
import { SHARED } from "../../memory/shared.ts";
import type { Env } from "../../store/paths.ts";
import type { Store } from "../../store/session-handle.ts";
import { openSigned, type Signed, signedIn } from "./bytes.ts";
import { type Carrier, MACHINE } from "./carrier.ts";
import { isPostgres, isReadByAll, openCarrier } from "./carriers.ts";
import { valuesOf } from "./document.ts";
import { exchange, lastSync, memberValue } from "./exchange.ts";
import { askingValue, isOfCode, letInText } from "./join.ts";
import { loadMachine, newMachine, plainName, withIdentity } from "./machine.ts";
import { isSameProject } from "./marks.ts";
import { placeOf } from "./notes.ts";
import {
	alone,
	aroundOf,
	codeOf,
	forgetSpace,
	keepOwn,
	keepSpace,
	keptBytes,
	membersIn,
	type Opened,
	openSpace,
	ownDocument,
	recipientsOf,
	type SharedHere,
} from "./space.ts";

/** The carrier of a space, opened with what was kept for exchanges and the user's agent. */
export const carrierOf = ({ store, space, self }: Opened, env: Env, create = false): Promise<Carrier> =>
	openCarrier({
		...{ root: store.root, address: space.address, machine: self.id, create },
		env: { ...space.around, SSH_AUTH_SOCK: env.SSH_AUTH_SOCK },
	});

/** The documents that a carrier holds whose signatures are right, one after the other. */
async function* signedAt(carrier: Carrier): AsyncGenerator<Signed> {
	for (const { machine } of await carrier.list()) {
		if (!MACHINE.test(machine)) continue;
		const signed = await carrier
			.get(machine)
			.then((bytes) => bytes && signedIn(bytes))
			.catch(() => null);
		if (signed?.machine === machine) yield signed;
	}
}

async function heads(carrier: Carrier): Promise<Pick<Signed, "space" | "recipient">[]> {
	const found: Pick<Signed, "space" | "recipient">[] = [];
	for await (const { space, recipient } of signedAt(carrier)) found.push(recipient ? { space, recipient } : { space });
	return found;
}

interface Beginning {
	address: string;
	env: Env;
}

/** A space that begins on this machine; nothing of it leaves it before the first exchange. Throws where the carrier holds one already. */
export async function newSpace(
	store: Store,
	{ address, env, isEncrypted }: Beginning & { isEncrypted: boolean },
	project: SharedHere,
): Promise<Opened> {
	if (openSpace(store)) throw new Error("this store shares a space already; 'ccg sync leave' ends that");
	const self = newMachine(store.root, env);
	const space = { id: crypto.randomUUID().replaceAll("-", ""), address, isEncrypted, isPaused: false };
	const opened: Opened = {
		...{ store, self: isEncrypted ? await withIdentity(store.root, self) : self, now: () => new Date() },
		space: { ...space, projects: [project], around: aroundOf(env) },
	};
	return opened;
}

/** Makes a new space known at its carrier. Throws where that holds one already, or everybody can read it. */
export async function begin(opened: Opened, env: Env): Promise<void> {
	const { address, isEncrypted } = opened.space;
	if (!isEncrypted && (await isReadByAll(address, opened.space.around)))
		throw coded("EPUBLIC", `everybody can read ${address} without a password; make it private, or encrypt: --encrypt`);
	const carrier = await carrierOf(opened, env, true);
	try {
		if ((await heads(carrier)).length > 0)
			throw new Error(`${address} holds a space already; ccg sync join takes part in it`);
	} finally {
		await carrier.close();
	}
	keepSpace(opened);
}

/**
 * Asks to be let into the space of a carrier: writes a document that says so. Gives the code that a member types; `null` where a server's
 * login says who belongs. `isAnew`: as another machine than the one this store was.
 */
export async function requestJoin(
	store: Store,
	{ address, env, space: wanted, isAnew = false }: Beginning & { space?: string | undefined; isAnew?: boolean },
): Promise<{ opened: Opened; code: string | null }> {
	const before = isAnew ? null : openSpace(store);
	if (before && before.space.address !== address)
		throw new Error(`this store shares by ${before.space.address} already; 'ccg sync leave' ends that`);
	const projects = openSpace(store, { isCopyMeant: true })?.space.projects ?? [];
	// asked for twice, it is the same machine that asks
	const found = before?.self ?? (isAnew ? null : loadMachine(store.root));
	const around = aroundOf(env);
	const carrier = await openCarrier({
		root: store.root,
		address,
		env: { ...around, SSH_AUTH_SOCK: env.SSH_AUTH_SOCK },
		machine: found?.id ?? "",
	});
	let there: Pick<Signed, "space" | "recipient">[];
	try {
		there = await heads(carrier);
	} finally {
		await carrier.close();
	}
	const ids = [...new Set(there.map(({ space }) => space))].filter((id) => wanted === undefined || id === wanted);
	if (ids.length !== 1)
		throw new Error(
			ids.length === 0
				? `${address} holds no${wanted ? " such" : ""} space yet, or has not been synchronised`
				: `${address} holds documents of several spaces; name the one that 'ccg sync status' shows on a member: --space ${ids.join(", or --space ")}`,
		);
	const recipients = there.flatMap(({ space, recipient }) => (space === ids[0] && recipient ? recipient : []));
	const isEncrypted = recipients.length > 0;
	if (isAnew) forgetSpace(store);
	const self = found ?? newMachine(store.root, env);
	const opened: Opened = {
		...{ store, self: isEncrypted ? await withIdentity(store.root, self) : self, now: () => new Date() },
		space: before?.space ?? { id: ids[0]!, address, isEncrypted, isPaused: false, projects, around },
	};
	keepSpace(opened);
	if (isPostgres(address)) return { opened, code: null };
	const own = await ownDocument(opened, () => {});
	if (own.version > 0 && membersIn(own).length > 0) return { opened, code: codeOf(opened) };
	const values = [...own.values.filter(({ kind }) => kind !== "ask"), askingValue(opened, own)];
	await keepOwn(opened, { ...own, values }, recipients);
	const again = await carrierOf(opened, env);
	try {
		await again.put(self.id, keptBytes(opened, self.id));
	} finally {
		await again.close();
	}
	return { opened, code: codeOf(opened) };
}

/** Lets in the machine whose code was typed; the next exchange tells it. Throws where none asks with the code. */
export async function letIn(opened: Opened, env: Env, code: string): Promise<{ machine: string; name: string }> {
	const carrier = await carrierOf(opened, env);
	try {
		for await (const signed of signedAt(carrier)) {
			const asks = signed.space === opened.space.id && (await openSigned(signed, opened.self.keys).catch(() => null));
			if (!asks || !isOfCode(opened, asks, code)) continue;
			const own = await ownDocument(opened, () => {});
			const { machine, name } = asks;
			const values = own.values.filter(({ kind, item }) => kind !== "member" || item !== machine);
			const member = memberValue(own, machine, opened.now(), letInText(opened, machine, code));
			await keepOwn(opened, { ...own, values: [...values, member] }, recipientsOf(opened, membersIn(own)));
			return { machine, name: plainName(name) };
		}
	} finally {
		await carrier.close();
	}
	throw new Error(
		"no machine asks with that code: look whether it was typed as the other machine shows it, and whether both see the same carrier",
	);
}

/** Takes a machine out of the space, by its name or the beginning of its id; the next exchange tells the others. */
export async function takeFrom(opened: Opened, named: string): Promise<{ machine: string; name: string }> {
	const own = await ownDocument(opened, () => {});
	const names = new Map(lastSync(opened).members.map(({ machine, name }) => [machine, name]));
	const all = new Set([...membersIn(own), ...names.keys()]);
	const found = [...all].filter((machine) => names.get(machine) === named || machine.startsWith(named));
	const [machine] = found;
	if (!machine || found.length > 1)
		throw new Error(`${machine ? "several members" : "no other member"} '${named}'; 'ccg sync status' shows them`);
	const before = valuesOf(own, "member").filter(({ item }) => item === machine);
	const values = own.values.filter((one) => !before.includes(one));
	const stays = membersIn(own).filter((one) => one !== machine);
	await keepOwn(
		opened,
		{ ...own, values: [...values, memberValue(own, machine, opened.now(), null)] },
		recipientsOf(opened, stays),
	);
	return { machine, name: names.get(machine) ?? machine.slice(0, 12) };
}

/** Takes this machine's document away. Throws where the carrier can't be told: then nothing is forgotten here. */
export async function leave(opened: Opened, env: Env): Promise<void> {
	try {
		const carrier = await carrierOf(opened, env);
		try {
			await carrier.put(opened.self.id, null);
		} finally {
			await carrier.close();
		}
	} catch (error) {
		throw new Error(
			`its document can't be taken away (${whyOf(error)}), so nothing is forgotten here: try again, or where the carrier is gone for good ccg sync leave --force`,
			{ cause: error },
		);
	}
}

/** An exchange, one at a time in a store. */
export const syncNow = (
	opened: Opened,
	env: Env,
	{ waitMs = 10_000, ...how }: Parameters<typeof exchange>[2] & { waitMs?: number } = {},
) => alone(opened.store, () => exchange(opened, () => carrierOf(opened, env), how), waitMs);

/** Shares a project no more: what this machine said of it goes with the next exchange, and what others wrote of it from here. */
export async function withoutProject(opened: Opened, shared: SharedHere): Promise<Opened> {
	const own = await ownDocument(opened, () => {});
	const values = own.values.filter(({ project, text }) => text === null || !isSameProject(project, shared.marks));
	const next = {
		...opened,
		space: { ...opened.space, projects: opened.space.projects.filter((one) => one !== shared) },
	};
	keepSpace(next);
	await keepOwn(next, { ...own, values }, recipientsOf(next, membersIn(own)));
	const place = placeOf(opened, shared);
	rmSync(join(folderOf(place.root, place.scope), SHARED), { force: true });
	return next;
}
