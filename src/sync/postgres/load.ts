import { coded } from "../../files/system-failure.ts";
import type { Env } from "../../store/paths.ts";
import type { Carrier } from "../carrier.ts";
import type { PostgresCarrier } from "./carrier.ts";
import { keepLogin, keptLogin, type Login, placeOf, targetOf } from "./connection.ts";
import type { Joining } from "./members.ts";

/** A bundle of its own, by a path that the bundler does not see through: no command pays for the client but one that speaks to a server. */
const load = (file = `${import.meta.dirname}/open`): typeof import("./open.ts") => require(file);

interface Place {
	/** The store. */
	root: string;
	address: string;
	env: Env;
}

/** How this machine gets its login, where it has none. */
export type Entry = { create: Joining } | { code: string; me: Joining } | null;

/**
 * Opens a space at an address. With `create` it is made there, by the login that the address or PG's
 * variables name, which has to own the database; with a code an invitation is taken. The login that this machine gets is kept in the
 * store, apart from the configuration.
 */
export async function postgresAt(
	{ root, address, env }: Place,
	space: string,
	entry: Entry = null,
): Promise<PostgresCarrier> {
	const { makeSpace, joinSpace, openPostgres } = load();
	const target = targetOf(address, env);
	const place = placeOf(target);
	if (entry) {
		const made = "create" in entry ? makeSpace(target, space, entry.create) : joinSpace(target, entry.code, entry.me);
		keepLogin(root, place, await made);
	}
	return openPostgres({ ...target, login: loginAt(root, place) }, space);
}

/** The id of the space at an address, which this machine has a login for, or a code: its keys may be made for it before it joins. */
export async function spaceAt({ root, address, env }: Place, code?: string): Promise<string> {
	const { invitedBy, spaceOf } = load();
	const target = targetOf(address, env);
	return spaceOf({ ...target, login: code ? invitedBy(code) : loginAt(root, placeOf(target)) });
}

function loginAt(root: string, place: string): Login {
	const login = keptLogin(root, place);
	if (!login) throw coded("ELOGIN", `this machine has no login at ${place}: an owner of the space gives it a code`);
	return login;
}

/** What a server can do besides carrying; `null`: it is a folder or git. */
export const serverIn = (carrier: Carrier): PostgresCarrier | null =>
	"tell" in carrier ? (carrier as PostgresCarrier) : null;
