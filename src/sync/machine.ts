import { hostname, userInfo } from "node:os";
import { oneLine, safeText } from "../core/text/text.ts";
import { quietly } from "../files/quietly.ts";
import { sha256 } from "../store/gate.ts";
import type { Env } from "../store/paths.ts";
import { type Keys, machineOf, newIdentity, newSigningKey, secretOf } from "./bytes.ts";
import type { Document } from "./document.ts";

/** A machine as a space knows it: the keys are its identity, the name is for people. */
export interface Machine {
	id: string;
	keys: Keys;
	/** `ann on laptop`. */
	name: string;
}

const MAX_NAME = 40;
/** A name that may be told: one line, short, nothing hidden. */
export const plainName = (name: unknown): string =>
	oneLine(safeText(typeof name === "string" ? name.slice(0, 400) : "").replace(/[,|`:]/g, " "))
		.slice(0, MAX_NAME)
		.trim()
		.toWellFormed();

/** What names a machine to people who have no name of it. */
export const shortMachine = (id: string): string => id.slice(0, 12);

/** What names the machine of a document: anybody may take another's name, so a part of its key is in it. */
export const nameIn = ({ name, machine }: Pick<Document, "name" | "machine">): string =>
	`${plainName(name).slice(0, 31).trim() || "a machine"} ${machine.slice(0, 8)}`;

/** A new identity; `isEncrypted`: with a key that others encrypt to. */
export async function newMachine(env: Env, isEncrypted: boolean): Promise<Machine> {
	const person = plainName(env.USER || quietly(() => userInfo().username)) || "somebody";
	const name = plainName(`${person.slice(0, 24)} on ${plainName(hostname()) || "a machine"}`);
	const keys = { sign: newSigningKey(), ...(isEncrypted && (await newIdentity())) };
	return { id: machineOf(keys.sign.x), keys, name };
}

// A machine that asks shows a code that only it can come to, and that no carrier ever sees. Its document holds a proof that its key knows the
// code; a member that the code is typed on looks for that proof, so nobody between them can put in another key. It answers with a proof
// of its own, by which the new machine knows whom to believe.

/** 80 bits in hex digits, in groups of five. */
export const codeOf = ({ keys }: Machine): string =>
	secretOf("join", keys)
		.slice(0, 20)
		.replace(/(.{5})(?=.)/g, "$1-");

export const proofOf = (what: "ask" | "in", code: string, ...machines: string[]): string =>
	sha256(`ccg ${what} ${machines.join(" ")} ${code.toLowerCase().replace(/[\s-]/g, "")}`);

/** Whether the machine of a document has let in one that asks. */
export const isLetInBy = (asking: Machine, { machine, letIn }: Document): boolean =>
	letIn[asking.id] === proofOf("in", codeOf(asking), machine, asking.id);
