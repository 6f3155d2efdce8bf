import { randomBytes } from "node:crypto";
import type { Operation } from "./batch.ts";
import { publicOf, unwrapKey, wrapKey } from "./keys.ts";
import type { Member } from "./members.ts";
import { known, type Log, membersIn, type Value, valuesOf } from "./state.ts";

// What is sealed is sealed with the content key of an epoch. An owner gives it to each member, wrapped for that machine alone, in the item
// `epoch:ID`; a removal begins a new one, which the removed machine never gets.

/** What owners said of epochs, the oldest first. One who is none any more may have sealed with its own before it knew. */
const epochsIn = (log: Log): Value[] => {
	const members = membersIn(log);
	return valuesOf(log, "epoch:")
		.filter(({ machine }) => members.get(machine)?.had.includes("owner"))
		.sort((a, b) => (a.clock + a.id < b.clock + b.id ? -1 : 1));
};

const idOf = ({ item }: Value): string => item.slice("epoch:".length);
const aboutOf = (log: Log, epoch: string): string => `${log.space.id}:${epoch}`;

/** Whether an owner said that there is this one. */
export const isEpoch = (log: Log, id: string): boolean => epochsIn(log).some((one) => idOf(one) === id);

/** Whether what is said of projects is sealed here. */
export const isSealed = (log: Log): boolean => epochsIn(log).length > 0;

/** The epochs whose key somebody has who is no member (any more), or made: nothing more is sealed with it. */
function brokenIn(log: Log, epochs: readonly Value[]): Set<string> {
	const members = membersIn(log);
	const isOut = (machine: string): boolean => (members.get(machine)?.role ?? "none") === "none";
	return new Set(epochs.filter(({ machine, field }) => isOut(machine) || isOut(field)).map(idOf));
}

/** The content keys that this machine was given, by epoch, the oldest first. */
export function keysIn(log: Log): ReadonlyMap<string, Uint8Array> {
	const now = known(log);
	if (now.content) return now.content;
	const keys = new Map<string, Uint8Array>();
	for (const one of epochsIn(log)) {
		if (one.field !== log.machine || keys.has(idOf(one))) continue;
		const key = unwrapKey(String(one.value), log.keys, aboutOf(log, idOf(one)));
		if (key) keys.set(idOf(one), Buffer.from(key, "base64url"));
	}
	now.content = keys;
	return keys;
}

/** What is to be sealed with: the newest epoch that nobody has who is out, and its key; `null` where this machine has none. */
export function sealingKey(log: Log): { epoch: string; key: Uint8Array } | null {
	const broken = brokenIn(log, epochsIn(log));
	const [epoch, key] = [...keysIn(log)].findLast(([id]) => !broken.has(id)) ?? [];
	return epoch && key ? { epoch, key } : null;
}

/** A new epoch, for these machines. */
function newEpoch(log: Log, machines: readonly Keyed[]): Operation[] {
	const [id, key] = [randomBytes(8).toString("hex"), randomBytes(32)];
	return machines.map((one) => keyFor(log, one, id, key));
}

type Keyed = Pick<Member, "machine" | "keys">;

const keyFor = (log: Log, { machine, keys }: Keyed, id: string, key: Uint8Array): Operation => ({
	...{ item: `epoch:${id}`, field: machine },
	value: wrapKey(Buffer.from(key).toString("base64url"), keys, aboutOf(log, id)),
});

/**
 * What an owner has to say so that each member can read: the keys that one lacks, and a new epoch where somebody who is out has the key of
 * every other. Nothing in a space that seals nothing.
 */
export function missingKeys(log: Log): Operation[] {
	const epochs = epochsIn(log);
	const members = [...membersIn(log).values()].filter(({ role }) => role !== "none");
	if (epochs.length === 0 || members.find(({ machine }) => machine === log.machine)?.role !== "owner") return [];
	const broken = brokenIn(log, epochs);
	if (epochs.every((one) => broken.has(idOf(one)))) return newEpoch(log, members);
	const own = keysIn(log);
	const given = new Set(epochs.map((one) => `${idOf(one)} ${one.field}`));
	return members.flatMap((one) =>
		[...own].flatMap(([id, key]) => (given.has(`${id} ${one.machine}`) ? [] : keyFor(log, one, id, key))),
	);
}

export const firstEpoch = (log: Log): Operation[] =>
	newEpoch(log, [{ machine: log.machine, keys: publicOf(log.keys) }]);
