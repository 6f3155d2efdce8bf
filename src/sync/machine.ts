import { sign } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { oneLine, safeText } from "../core/text/text.ts";
import { tryOrUndefined } from "../files/quietly.ts";
import { sha256 } from "../store/gate.ts";
import type { Env } from "../store/paths.ts";
import { type Keys, loadAge, machineId, newSigningKey, privateKey } from "./bytes.ts";
import type { Document } from "./document.ts";

/** A machine as a space knows it: the keys are its identity, the name is for people. */
export interface Machine {
	id: string;
	keys: Keys;
	/** `ann on laptop`. */
	name: string;
}

/** Gives the name of a document's machine: at most 40 characters, none hidden; with a part of its key, since anybody may take another's name. */
export function machineName({ name, machine }: Pick<Document, "name" | "machine">): string {
	const plain = oneLine(safeText(name).replace(/[,|`:]/g, " "));
	return `${plain.slice(0, 27).trim().toWellFormed() || "a machine"} ${machine.slice(0, 12)}`;
}

/** Makes a new identity for this machine, with new keys; `isEncrypted`: with a key that others encrypt to. */
export async function newMachine(env: Env, isEncrypted: boolean): Promise<Machine> {
	const person = env.USER || tryOrUndefined(() => userInfo().username) || "somebody";
	const keys = { sign: newSigningKey(), ...(isEncrypted && (await loadAge().newIdentity())) };
	return { id: machineId(keys.sign.x), keys, name: `${person} on ${hostname()}`.slice(0, 100) };
}

// A machine that asks shows a code that only it can come to, and that no carrier ever sees. Its document holds a proof that its key knows the
// code; a member that the code is typed on looks for that proof, so nobody between them can put in another key. It answers with a proof
// of its own, by which the new machine knows whom to believe.

/** Gives the code that a machine shows when it asks to join: 80 bits in hex digits, in groups of five. Only its private key leads to it. */
export function joinCode({ keys }: Machine): string {
	const secret = sha256(sign(null, Buffer.from("ccg secret\njoin"), privateKey(keys.sign)));
	return secret.slice(0, 20).replace(/(.{5})(?=.)/g, "$1-");
}

/** A hash by which a machine proves that it knows the code: `ask`, the one that asks to join; `in`, the one that lets it in. */
export const joinProof = (from: "ask" | "in", code: string, ...machines: string[]): string =>
	sha256(`ccg ${from} ${machines.join(" ")} ${code.toLowerCase().replace(/[\s-]/g, "")}`);

/** Whether another machine's document proves that it has let in this machine, which asks to join. */
export const isLetInBy = (self: Machine, other: Document): boolean =>
	other.letIn[self.id] === joinProof("in", joinCode(self), other.machine, self.id);
