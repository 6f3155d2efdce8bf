import { coded } from "../../files/system-failure.ts";
import type { Carrier, Way } from "../carrier.ts";
import { machineOf, publicOf } from "../keys.ts";
import { loadMachine } from "../machine.ts";
import type { PostgresCarrier } from "./carrier.ts";
import { keepLogin, keptLogin, type Login, targetOf } from "./connection.ts";

/** A bundle of its own, by a path that the bundler does not see through: no command pays for the client but one that speaks to a server. */
const load = (file = `${import.meta.dirname}/open`): typeof import("./open.ts") => require(file);

/**
 * Opens a space on a server. With `create` it is made there, by the login that the address as it was typed or PG's variables name, which
 * has to own the database; an invitation that was not taken yet is. The login that this machine gets is kept in the store, apart from the
 * configuration.
 */
export async function postgresAt(way: Way, space: string, create = false): Promise<PostgresCarrier> {
	const { makeSpace, joinSpace, openPostgres } = load();
	const { root, address, env, typed = address } = way;
	const self = loadMachine(root);
	const code = newCode(way);
	if (self && (create || code)) {
		const me = { machine: machineOf(publicOf(self.keys)), name: self.name, person: self.person };
		const target = targetOf(typed, env);
		keepLogin(root, address, await (create ? makeSpace(target, space, me) : joinSpace(target, code!, me)));
	}
	return openPostgres({ ...targetOf(address, env), login: loginAt(way) }, space);
}

/** The id of the space on a server, where this machine has a login or an invitation: its keys may be made for it before it joins. */
export async function spaceAt(way: Way): Promise<string> {
	const { invitedBy, spaceOf } = load();
	const code = newCode(way);
	return spaceOf({ ...targetOf(way.address, way.env), login: code ? invitedBy(code) : loginAt(way) });
}

/** The code of an invitation, where it was not taken yet: it is good once. */
const newCode = ({ root, address, invitation }: Way): string | undefined =>
	keptLogin(root, address) ? undefined : invitation;

function loginAt({ root, address }: Way): Login {
	const login = keptLogin(root, address);
	if (!login) throw coded("ELOGIN", `this machine has no login at ${address}: an owner of the space gives it a code`);
	return login;
}

/** What a server can do besides carrying; `null`: it is a folder or git. */
export const serverIn = (carrier: Carrier): PostgresCarrier | null =>
	"tell" in carrier ? (carrier as PostgresCarrier) : null;
