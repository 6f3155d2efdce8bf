import { oneLine, safeText } from "../core/text/text.ts";
import { isObject } from "../core/transcript/decode.ts";
import type { Clock } from "./clock.ts";
import { KEY, machineOf, type PublicKeys } from "./keys.ts";

export const ROLES = ["none", "reader", "writer", "owner"] as const;
/** `none`: removed. A reader's notes are not applied; an owner also says who is a member. */
export type Role = (typeof ROLES)[number];

export const mayWrite = (role: Role): boolean => role === "writer" || role === "owner";

/** What an owner says of a machine, in an operation of the item `member:MACHINE`. */
interface Granted extends PublicKeys {
	role: Role;
	/** Counts for batches behind this one, the last that the owner had. -1: the machine is new. */
	since: number;
	name: string;
	person: string;
}

/** The same with who said it. */
export interface Grant {
	id: string;
	by: string;
	bySeq: number;
	clock: Clock;
	machine: string;
	said: Granted;
}

export interface Member {
	machine: string;
	keys: PublicKeys;
	name: string;
	person: string;
	/** What it is now. */
	role: Role;
	/** What it was at one time or another. */
	had: Role[];
	/** All that decides it. */
	rules: string;
	/** What it was when it wrote its batch of this number. */
	roleAt(seq: number): Role;
}

export type Members = ReadonlyMap<string, Member>;

const MAX_NAME = 40;
/** A name that may be told: one line, short, nothing hidden. */
export const plainName = (name: unknown): string =>
	oneLine(safeText(typeof name === "string" ? name.slice(0, 400) : ""))
		.slice(0, MAX_NAME)
		.toWellFormed();

/** What is said of a machine; `null` where it is of another form, or the keys are not that machine's. */
export function grantedIn(machine: string, value: unknown): Granted | null {
	if (!isObject(value)) return null;
	const { role, since, sign, seal, name, person } = value as Partial<Granted>;
	if (!ROLES.includes(role as Role) || !Number.isSafeInteger(since) || since! < -1) return null;
	if (typeof sign !== "string" || typeof seal !== "string" || !KEY.test(sign) || !KEY.test(seal)) return null;
	if (machineOf({ sign, seal }) !== machine) return null;
	return { role: role!, since: since!, sign, seal, name: plainName(name), person: plainName(person) };
}

/**
 * Who belongs to a space, by all that was said, in whatever order it came. The root made the space and is its first owner. Each other
 * machine stands one step below the nearest owner who took it in; of those nearer to the root, and of itself (it may leave), it is what
 * the last one said. So no two can remove each other, and what is decided rests on what is nearer alone.
 * `floors`: what of a machine is in a confirmed snapshot stays, also where a removal did not know of it. (Other roles stay as they were
 * said: who is an owner no more is to gain nothing by a snapshot that comes later.)
 */
export function membersOf(root: PublicKeys, grants: readonly Grant[], floors: ReadonlyMap<string, number>): Members {
	const members = new Map<string, Member>();
	const machine = machineOf(root);
	const said: Granted = { ...root, role: "owner", since: -1, name: "", person: "" };
	const first: Grant = { id: "", by: machine, bySeq: 0, clock: "", machine, said };
	const own = grants.filter((one) => one.machine === machine && one.by === machine);
	members.set(machine, memberOf(machine, [first, ...own], floors));
	const others = Map.groupBy(grants, ({ machine }) => machine);
	for (let isNew = true; isNew; ) {
		const next: Member[] = [];
		for (const [machine, said] of others) {
			if (members.has(machine)) continue;
			const byOwner = said.filter(({ by, bySeq }) => members.get(by)?.roleAt(bySeq) === "owner");
			const byItself = said.filter(({ by, said: { role } }) => by === machine && role === "none");
			if (byOwner.length > 0) next.push(memberOf(machine, [...byOwner, ...byItself], floors));
		}
		for (const member of next) members.set(member.machine, member);
		isNew = next.length > 0;
	}
	return members;
}

function memberOf(machine: string, grants: readonly Grant[], floors: ReadonlyMap<string, number>): Member {
	const floor = floors.get(machine) ?? 0;
	const order = (a: Grant, b: Grant): number =>
		a.said.since - b.said.since || (a.clock + a.id < b.clock + b.id ? -1 : 1);
	const sorted = grants
		.toSorted(order)
		.map(({ said }) => said)
		.map((said, i, all) => {
			const next = all[i + 1]?.since ?? Number.POSITIVE_INFINITY;
			return said.role === "none" ? { ...said, since: Math.max(said.since, Math.min(floor, next)) } : said;
		});
	const { sign, seal } = sorted[0]!;
	// the last that gives a name; the root's first says none
	const named = sorted.findLast(({ name }) => name !== "");
	const roleAt = (seq: number): Role => sorted.findLast(({ since }) => since < seq)?.role ?? "none";
	const rules = sorted.map(({ since, role }) => `${since} ${role}`).join(", ");
	return {
		...{ machine, keys: { sign, seal }, name: named?.name ?? "", person: named?.person ?? "" },
		...{ had: sorted.map(({ role }) => role), rules, roleAt, role: roleAt(Infinity) },
	};
}
