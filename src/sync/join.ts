import { sha256 } from "../store/gate.ts";
import { parseObject } from "../store/json-file.ts";
import type { Store } from "../store/session-handle.ts";
import { type Carrier, closing } from "./carrier.ts";
import { KEY, newId, openLine, type PublicKeys, publicOf, signedLine } from "./keys.ts";
import { hostPrint, newMachine } from "./machine.ts";
import { grantedIn, type Role } from "./members.ts";
import { serverIn } from "./postgres/load.ts";
import { type Asking, type Beginning, begin, forgetSpace, grant, type Opened, openSpace, spaceId } from "./space.ts";
import { type Log, membersIn, type Space } from "./state.ts";
import { factOf, keepFact } from "./tables.ts";

/**
 * Asks to be taken into a space: puts what this machine is known by into the carrier, and gives the code that a member types. `isAnew`: as
 * another machine than the one this store was, which stays a member.
 */
export async function requestJoin(
	store: Store,
	{ address, env, open, space: wanted, isAnew = false }: Beginning & { space: string; isAnew?: boolean },
): Promise<{ opened: Opened; code: string }> {
	const found = openSpace(store, { isCopyMeant: true });
	if (found && isAnew) forgetSpace(found);
	const before = isAnew ? null : found;
	const isCopy = before !== null && before.self.host !== hostPrint();
	if (before && !isCopy && before.space.id !== wanted)
		throw new Error("this store shares another space already; 'ccg sync leave' ends that");
	// asked for twice, it is the same machine that asks
	const self = before && !isCopy ? before.self : newMachine(store.root, env);
	before?.close();
	return closing(open(wanted, false), async (carrier) => {
		const space = spaceIn(await carrier.get("space"), wanted);
		const opened = begin(store, self, space, address);
		const nonce = factOf<string>(opened.rows, "nonce") ?? newId();
		keepFact(opened.rows, "nonce", nonce);
		const asking = { v: 1, space: space.id, ...publicOf(self.keys), name: self.name, person: self.person, nonce };
		await carrier.put(`join/${opened.machine}`, signedLine("join", JSON.stringify(asking), self.keys));
		await carrier.push();
		return { opened, code: codeOf(space, publicOf(self.keys), nonce) };
	});
}

/** What a carrier says of a space is true where its id comes out of it. */
function spaceIn(bytes: Uint8Array | null, wanted: string): Space {
	const found = bytes && parseObject(openLine(bytes)?.text ?? "");
	const { sign = "", seal = "" } = (found?.root ?? {}) as Partial<PublicKeys>;
	const nonce = String(found?.nonce);
	if (KEY.test(sign) && KEY.test(seal) && spaceId({ sign, seal }, nonce) === wanted)
		return { id: wanted, root: { sign, seal }, nonce };
	throw new Error("the carrier does not say whose space that is, or says it wrongly; nothing was changed");
}

/** 80 bits in hex digits, in groups of five, that both sides work out: of whose space it is and of the keys that ask. Another key on the way makes another code. */
export function codeOf(space: Space, keys: PublicKeys, nonce: string): string {
	const hash = sha256(`ccg join ${space.id} ${space.root.sign} ${space.root.seal} ${keys.sign} ${keys.seal} ${nonce}`);
	return hash.slice(0, 20).replace(/(.{5})(?=.)/g, "$1-");
}

const plainCode = (code: string): string => code.toLowerCase().replace(/[\s-]/g, "");

/**
 * Takes in the machine whose code was typed, or changes what it may. What is not said stays as the invitation to a server said it; what
 * is said, a server is told. Throws where no one asks with the code.
 */
export async function confirmJoin(
	opened: Opened,
	carrier: Carrier,
	code: string,
	said: { role?: Role | undefined; projects?: string[] | undefined } = {},
): Promise<Asking & { role: Role }> {
	for (const name of await carrier.list("join/")) {
		const asking = askingIn(opened, name, await carrier.get(name));
		if (!asking || plainCode(codeOf(opened.space, asking, asking.nonce)) !== plainCode(code)) continue;
		const server = serverIn(carrier);
		const has = (await server?.members())?.find(({ machine }) => machine === asking.machine);
		if (server && !has)
			throw new Error(
				"that machine was removed from the server: it leaves (ccg sync leave --force) and is invited again",
			);
		const role = said.role ?? has?.role ?? "owner";
		if (said.projects && (!server || role === "owner"))
			throw new Error("projects are of a reader or writer, and of a server; an owner, a folder and git have all");
		if (server && (said.role ?? said.projects)) {
			const projects = role === "owner" ? null : (said.projects ?? has?.projects ?? null);
			await server.changeMember(asking.machine, role as Exclude<Role, "none">, projects);
		}
		grant(opened, asking, role);
		return { ...asking, role };
	}
	throw new Error(
		"no machine asks with that code: look whether it was typed as the other machine shows it, and whether both see the same carrier",
	);
}

/** More that ask at once are not shown: the carrier may be anybody's. */
const MOST_ASKING = 5;

/** A machine that asks to be taken in, by its own words. */
export type Asked = Pick<Asking, "machine" | "name" | "person">;

/** The machines that ask to be taken in; for an owner. */
export async function askingAt(log: Log, carrier: Carrier): Promise<Asked[]> {
	const members = membersIn(log);
	// (who was removed is not shown: it asked before that)
	const names = (await carrier.list("join/")).filter((name) => !members.has(name.slice("join/".length)));
	const found: Asked[] = [];
	for (const name of names.slice(0, MOST_ASKING)) {
		const asking = askingIn(log, name, await carrier.get(name));
		if (asking) found.push({ machine: asking.machine, name: asking.name, person: asking.person });
	}
	return found;
}

function askingIn({ space }: Log, name: string, bytes: Uint8Array | null): (Asking & { nonce: string }) | null {
	const line = bytes && openLine(bytes);
	const found = line && parseObject(line.text);
	const machine = name.slice("join/".length);
	const said = found && grantedIn(machine, { ...found, role: "reader", since: -1 });
	if (!said || found.space !== space.id || !line.isSignedBy("join", said)) return null;
	return { machine, ...said, nonce: String(found.nonce) };
}
