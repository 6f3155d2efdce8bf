import { rmSync } from "node:fs";
import { join } from "node:path";
import { exact } from "../core/redact/secrets.ts";
import { coded } from "../files/system-failure.ts";
import type { Rows } from "../store/database.ts";
import { sha256 } from "../store/gate.ts";
import { type Env, syncPath } from "../store/paths.ts";
import { projectOf } from "../store/project.ts";
import type { Store } from "../store/session-handle.ts";
import { type Carrier, closing, PROJECT } from "./carrier.ts";
import { firstEpoch, missingKeys } from "./epochs.ts";
import type { Kind } from "./items.ts";
import { newId, type PublicKeys, publicOf, signedLine } from "./keys.ts";
import { write } from "./log.ts";
import { hostPrint, loadMachine, type Machine, newMachine } from "./machine.ts";
import type { Role } from "./members.ts";
import {
	ALL_PROJECTS,
	marksOf,
	type ProjectMarks,
	projectId,
	projectsIn,
	projectsNamed,
	typedAddress,
} from "./project.ts";
import { headOf, isSharedWith, type Log, logOf, membersIn, NOT_SHARED, provedOf, roleOf, type Space } from "./state.ts";
import { factOf, inStep, keepFact, openSync } from "./tables.ts";

/** Everything there is for work on the space that this store shares. */
export interface Opened extends Log {
	store: Store;
	/** This machine, as others know it. */
	self: Machine;
	/** Where the carrier is; nothing secret. */
	address: string;
	close(): void;
}

/** The space that this store shares; `null` where it shares none. Throws with code `ECOPIED` in a copy of another machine's home. */
export function openSpace(store: Store, { isCopyMeant = false } = {}): Opened | null {
	const opened = openSync(syncPath(store.root), false);
	const [space, address] = opened ? [factOf<Space>(opened.rows, "space"), factOf<string>(opened.rows, "address")] : [];
	const self = loadMachine(store.root);
	if (!opened || !space || !address || !self) {
		opened?.close();
		return null;
	}
	if (self.host !== hostPrint() && !isCopyMeant) {
		opened.close();
		throw coded(
			"ECOPIED",
			`the identity in ${store.root} is that of ${self.name}, another machine: this home is a copy. To make this a machine of its own: ccg sync join ${typedAddress(address)}`,
		);
	}
	return { ...logOf(opened.rows, space, self.keys), store, self, address, close: opened.close };
}

/** The space of this store. Throws where there is none. */
export function needSpace(store: Store): Opened {
	const opened = openSpace(store);
	if (!opened)
		throw coded("EUNSHARED", "nothing is shared here yet; begin with: ccg sync init FOLDER, or ccg sync join FOLDER");
	return opened;
}

export const spaceId = (root: PublicKeys, nonce: string): string =>
	sha256(`ccg space ${root.sign} ${root.seal} ${nonce}`).slice(0, 32);

/** What `init` and `join` begin with. */
export interface Beginning {
	address: string;
	env: Env;
	/** Opens the carrier, for this space. */
	open(space: string, create: boolean): Promise<Carrier>;
}

/** Makes a space whose root is this machine; nothing of it leaves this machine before `publish`. */
export function newSpace(
	store: Store,
	{ address, env, isSealed = false }: Omit<Beginning, "open"> & { isSealed?: boolean },
): Opened {
	if (openSpace(store)) throw new Error("this store shares a space already; 'ccg sync leave' ends that");
	const self = newMachine(store.root, env);
	const [root, nonce] = [publicOf(self.keys), newId()];
	const opened = begin(store, self, { id: spaceId(root, nonce), root, nonce }, address);
	const me = { machine: opened.machine, ...root, name: self.name, person: self.person };
	write(opened, null, [grantOf(opened, me, "owner")]);
	if (isSealed) write(opened, null, firstEpoch(opened));
	return opened;
}

/** Puts what a new space is known by into its carrier. */
export const publish = ({ space, keys }: Opened, opening: Promise<Carrier>): Promise<void> =>
	closing(opening, async (carrier) => {
		await carrier.put("space", signedLine("space", JSON.stringify({ v: 1, ...space }), keys));
		await carrier.push();
	});

/** Forgets the space here: what was shared stays where it was written. */
export function forgetSpace(opened: Opened): void {
	const { root } = opened.store;
	opened.close();
	for (const name of ["sync.sqlite", "sync.sqlite-journal"]) rmSync(join(root, name), { force: true });
	rmSync(join(root, "sync"), { recursive: true, force: true });
}

export function begin(store: Store, self: Machine, space: Space, address: string): Opened {
	const { rows, close } = openSync(syncPath(store.root), true)!;
	keepSpace(rows, space, address);
	return { ...logOf(rows, space, self.keys), store, self, address, close };
}

/** Keeps which space that is. A key must read as it is: one in a hundred looks like a secret. */
export function keepSpace(rows: Rows, space: Space, address: string): void {
	inStep(rows, () => {
		keepFact(rows, "space", space, true);
		keepFact(rows, "address", address);
	});
}

/** What a machine that asks to be taken in says of itself. */
export interface Asking extends PublicKeys {
	machine: string;
	name: string;
	person: string;
}

export function grantOf(log: Log, { machine, sign, seal, name, person }: Asking, role: Role) {
	const isOwn = machine === log.machine;
	const known = !isOwn && membersIn(log).has(machine) ? provedOf(log, machine) : -1;
	// (it says so itself with its last batch)
	const since = isOwn && role === "none" ? headOf(log, machine).seq + 1 : known;
	return { item: `member:${machine}`, field: "role", value: { role, since, sign, seal, name, person } };
}

/** Says what a machine may from now on, and gives the keys that follow from it. Throws where that is not this machine's to say. */
export function grant(opened: Opened, asking: Asking, role: Role): void {
	inStep(opened.rows, () => {
		write(opened, null, [grantOf(opened, asking, role)]);
		if (roleOf(opened, asking.machine) !== role)
			throw new Error(
				role === "none" || roleOf(opened) === "owner"
					? `only an owner who is nearer to the machine that made the space can ${role === "none" ? "remove" : "change"} that one`
					: "only an owner can take a machine in",
			);
		giveKeys(opened);
	});
}

/** Removes a machine, or this one: what it wrote up to what is known here stays. */
export function removeMember(opened: Opened, machine: string): void {
	const member = membersIn(opened).get(machine);
	if (!member) throw new Error(`no member ${machine}; 'ccg sync status' shows them`);
	grant(opened, { ...member.keys, ...member }, "none");
}

/** Says the keys that members lack, where this machine is an owner. */
export function giveKeys(log: Log): void {
	const keys = missingKeys(log);
	if (keys.length > 0) write(log, null, keys);
}

export interface SharedHere {
	/** `Project.key`; `""`: for all projects. */
	key: string;
	id: string;
	folder: string;
	kinds: Kind[];
}

/** How the notes for all projects are named, which have no folder. */
export const FOR_ALL = "the notes for all projects";

export const sharedHere = ({ rows }: Pick<Log, "rows">): SharedHere[] =>
	rows
		.query<{ key: string; id: string; folder: string; kinds: string }, []>("SELECT * FROM projects ORDER BY key")
		.all()
		.map((one) => ({ ...one, kinds: one.kinds.split(" ") as Kind[] }));

/** Shares a project from here on, or otherwise than before. */
export function share({ rows }: Pick<Log, "rows">, { key, id, folder, kinds }: SharedHere): void {
	const insert = rows.query("INSERT OR REPLACE INTO projects VALUES(?, ?, ?, ?)");
	insert.run(exact(key), exact(id), exact(folder), exact(kinds.join(" ")));
}

/**
 * A project as it is to be shared, or with `null` the notes for all; without `kinds` what is shared of it already, else its notes. `named`: as
 * which one, where its repository does not tell. Throws where nothing does.
 */
export function toShare(opened: Opened, folder: string | null, kinds?: readonly Kind[], named?: string): SharedHere {
	const { key, root } = folder === null ? { key: "", root: "" } : projectOf(folder);
	const marks = folder === null ? { root: null, remotes: [] } : marksOf(folder);
	const had = sharedHere(opened).find((one) => one.key === key);
	// (its id may be known here only later)
	const isId = named !== undefined && PROJECT.test(named);
	const asked = named === "new" ? newId() : isId ? named : named && projectsNamed(opened, [named])[0];
	const id = asked ?? had?.id ?? (folder === null ? ALL_PROJECTS : projectId(opened, marks));
	if (!id) {
		const known = projectsIn(opened).map(({ id: one, name }) => `\n  ${one}  ${name}`);
		throw coded(
			"EUNKNOWN",
			`nothing tells which project ${folder} is on other machines: ${lackOf(marks)}. Say it once: --project new${known.length > 0 ? `, or one of these with --project ID:${known.join("")}` : ""}`,
		);
	}
	if (folder !== null && id === ALL_PROJECTS) throw new Error(`that is ${FOR_ALL}; --global shares those`);
	if (!isSharedWith(opened, id)) throw coded("EPROJECT", NOT_SHARED);
	return { key, id, folder: root, kinds: [...(kinds ?? had?.kinds ?? (["notes"] as const))] };
}

/** Why a repository does not tell which project it is. */
const lackOf = ({ root }: ProjectMarks): string =>
	root === null
		? "no first commit is known (no repository, an empty one, or a shallow clone)"
		: "its repository has no remote on another host";
