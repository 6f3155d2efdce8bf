import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { oneLine, safeText } from "../core/text/text.ts";
import { quietly } from "../files/quietly.ts";
import { sha256, writeJson } from "../store/gate.ts";
import { readJson } from "../store/json-file.ts";
import type { Env } from "../store/paths.ts";
import { type Keys, machineOf, newIdentity, newSigningKey, secretOf } from "./bytes.ts";
import type { Document } from "./document.ts";

/** This machine as a space knows it: the keys are its identity, the name is for people. */
export interface Machine {
	id: string;
	keys: Keys;
	/** `ann on laptop`. */
	name: string;
}

const machinePath = (root: string): string => join(root, "sync", "machine.json");

const MAX_NAME = 40;
/** A name that may be told: one line, short, nothing hidden. */
export const plainName = (name: unknown): string =>
	oneLine(safeText(typeof name === "string" ? name.slice(0, 400) : "").replace(/[,|`]/g, " "))
		.slice(0, MAX_NAME)
		.trim()
		.toWellFormed();

/** What names a machine to people who have no name of it. */
export const shortMachine = (id: string): string => id.slice(0, 12);

/** `null` where this store has none, or one that can't be read. */
export function loadMachine(root: string): Machine | null {
	const found = readJson<Machine>(machinePath(root));
	const { keys, name } = found ?? {};
	if (typeof keys?.sign?.x !== "string" || typeof keys.sign.d !== "string") return null;
	return { id: machineOf(keys.sign.x), keys, name: plainName(name) };
}

/** A new identity; whatever there was before is forgotten. Only this user may read it. */
export function newMachine(root: string, env: Env): Machine {
	const person = plainName(env.USER || quietly(() => userInfo().username)) || "somebody";
	const name = plainName(`${person.slice(0, 24)} on ${plainName(hostname()) || "a machine"}`);
	const keys = { sign: newSigningKey() };
	return keepMachine(root, { id: machineOf(keys.sign.x), keys, name });
}

/** The same with a key that others encrypt to. */
export async function withIdentity(root: string, self: Machine): Promise<Machine> {
	if (self.keys.identity) return self;
	return keepMachine(root, { ...self, keys: { ...self.keys, ...(await newIdentity()) } });
}

function keepMachine(root: string, self: Machine): Machine {
	const { keys, name } = self;
	// (keys must read as they are; the file is 0600)
	writeJson(machinePath(root), { keys, name }, { durable: true, exact: { keys } });
	return self;
}

// A machine that asks shows a code that only it can come to, and that no carrier ever sees. Its document holds a proof that its key knows the
// code; a member that the code is typed on looks for that proof, so nobody between them can put in another key. It answers with a proof
// of its own, by which the new machine knows whom to believe.

/** A machine and the space that it is in, or asks to be let into. */
type Here = { space: { id: string }; self: Machine };

/** 80 bits in hex digits, in groups of five. */
export const codeOf = ({ space, self }: Here): string =>
	secretOf(`join ${space.id}`, self.keys)
		.slice(0, 20)
		.replace(/(.{5})(?=.)/g, "$1-");

export const proofOf = (
	what: "ask" | "in",
	{ space }: Pick<Here, "space">,
	code: string,
	...machines: string[]
): string => sha256(`ccg ${what} ${space.id} ${machines.join(" ")} ${code.toLowerCase().replace(/[\s-]/g, "")}`);

/** Whether the machine of a document has let this one in, which asks. */
export const isLetInBy = (here: Here, { machine, letIn }: Document): boolean =>
	letIn[here.self.id] === proofOf("in", here, codeOf(here), machine, here.self.id);
