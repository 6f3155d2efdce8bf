import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { coded, errorCode } from "../../files/system-failure.ts";
import { closing } from "../carrier.ts";
import { newId } from "../keys.ts";
import type { Login, Target } from "./connection.ts";
import { about, migrate } from "./migrate.ts";
import { openSession, type Session } from "./session.ts";

export type Role = "reader" | "writer" | "owner";

/** A machine that joins, with the words that others see. */
export interface Joining {
	machine: string;
	name: string;
	person: string;
}

export interface Invitation {
	role: Role;
	/** `null`: all that the space has. */
	projects: readonly string[] | null;
}

/** Makes the space in a database, by a login that owns it, and this machine its first owner. Gives the login that is kept. */
export async function makeSpace(target: Target, space: string, me: Joining): Promise<Login> {
	const code = await closing(openSession(target), async (admin) => {
		await migrate(admin, space);
		return invite(admin, { role: "owner", projects: null });
	});
	return joinSpace(target, code, me);
}

/** A code that is good once, for a day: a login (16 hex digits) and its password (32). */
export async function invite(session: Session, { role, projects }: Invitation): Promise<string> {
	const [login, password] = [newLogin(), newId()];
	const values = [login, verifierOf(password), role, projects];
	await session.rows("SELECT ccg.invite($1, $2, $3, $4)", values, { once: true });
	return `${login.slice(PREFIX.length)}-${password}`;
}

/** Joins with a code. Gives the login that is this machine's from now on; the code is good no more. */
export async function joinSpace(target: Target, code: string, me: Joining): Promise<Login> {
	const own = { user: newLogin(), password: newId() };
	const values = [own.user, verifierOf(own.password), me.machine, me.name, me.person];
	const redeem = (session: Session) => session.rows("SELECT ccg.redeem($1, $2, $3, $4, $5)", values, { once: true });
	try {
		await closing(openSession({ ...target, login: invitedBy(code) }), redeem);
	} catch (error) {
		if (errorCode(error) === "23505") throw coded("EMEMBER", "a machine of this id is or was a member of this space");
		// the answer may have been lost behind a code that was taken
		if (errorCode(error) !== "EOFFLINE") throw error;
		await spaceOf({ ...target, login: own }).catch(() => {
			throw error;
		});
	}
	return own;
}

/** The id of the space that a login, or an invitation, is of. */
export const spaceOf = async (target: Target): Promise<string> => (await closing(openSession(target), about)).space;

/** The login that a code is. */
export function invitedBy(code: string): Login {
	const [, id, password] = /^([0-9a-f]{16})-([0-9a-f]{32})$/.exec(code.trim().toLowerCase()) ?? [];
	if (!id || !password) throw coded("ECODE", "this is no code of an invitation");
	return { user: PREFIX + id, password };
}

const PREFIX = "ccg_";
const newLogin = (): string => PREFIX + randomBytes(8).toString("hex");

/** What the server keeps of a password (RFC 5803), so that the password itself is in no statement and no log. */
export function verifierOf(password: string, salt = randomBytes(16), rounds = 4096): string {
	const salted = pbkdf2Sync(password, salt, rounds, 32, "sha256");
	const keyed = (word: string): Buffer => createHmac("sha256", salted).update(word).digest();
	const stored = createHash("sha256").update(keyed("Client Key")).digest("base64");
	return `SCRAM-SHA-256$${rounds}:${salt.toString("base64")}$${stored}:${keyed("Server Key").toString("base64")}`;
}
