import { coded } from "../../files/system-failure.ts";
import type { Env } from "../../store/paths.ts";
import type { Carrier } from "../carrier.ts";
import type { PostgresCarrier } from "./carrier.ts";
import { keepLogin, keptLogin, placeOf, targetOf } from "./connection.ts";
import type { Joining } from "./members.ts";

/** A bundle of its own, by a path that the bundler does not see through: no command pays for the client but one that speaks to a server. */
const load = (file = `${import.meta.dirname}/open`): typeof import("./open.ts") => require(file);

/** How this machine gets its login, where it has none. */
export type Entry = { create: Joining } | { code: string; me: Joining } | null;

/**
 * Opens the space at an address; `null`: whichever there is. With `create` it is made there, by the login that the address or PG's
 * variables name, which has to own the database; with a code an invitation is taken. The login that this machine gets is kept in the
 * store, apart from the configuration.
 */
export async function postgresAt(
	{ root, address, env }: { root: string; address: string; env: Env },
	space: string | null,
	entry: Entry = null,
): Promise<PostgresCarrier> {
	const { makeSpace, joinSpace, openPostgres } = load();
	const target = targetOf(address, env);
	const place = placeOf(target);
	if (entry) {
		const isNew = "create" in entry;
		if (isNew && space === null) throw coded("ESPACE", "a space that is made has an id");
		const login = isNew
			? await makeSpace(target, env, space!, entry.create)
			: await joinSpace(target, env, entry.code, entry.me);
		keepLogin(root, place, login);
	}
	const login = keptLogin(root, place);
	if (!login) throw coded("ELOGIN", `this machine has no login at ${place}: an owner of the space gives it a code`);
	return openPostgres({ ...target, login }, env, space);
}

/** The id of the space at an address that a code invites to: a machine's keys may be made for it before it joins. */
export const invitedTo = (address: string, env: Env, code: string): Promise<string> =>
	load().spaceOf(targetOf(address, env), env, code);

/** What a server can do besides carrying; `null`: it is a folder or git. */
export const serverIn = (carrier: Carrier): PostgresCarrier | null =>
	"tell" in carrier ? (carrier as PostgresCarrier) : null;
