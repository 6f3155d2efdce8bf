import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { quietly } from "../files/quietly.ts";
import { thisUser, userConfig } from "../git/config.ts";
import { sha256, writeJson } from "../store/gate.ts";
import { readJson, readText } from "../store/json-file.ts";
import type { Env } from "../store/paths.ts";
import { type Keys, machineOf, newKeys, publicOf } from "./keys.ts";
import { plainName } from "./members.ts";

/** This machine as a space knows it: the keys are its identity, the names are for people. */
export interface Machine {
	keys: Keys;
	name: string;
	person: string;
	/** Tells a copy of this home on another machine. */
	host: string;
}

const machinePath = (root: string): string => join(root, "sync", "machine.json");

/** `null` where this store has none yet. */
export function loadMachine(root: string): Machine | null {
	const found = readJson<Machine>(machinePath(root));
	const id = quietly(() => machineOf(publicOf(found!.keys!)));
	return found && id
		? { keys: found.keys!, name: plainName(found.name), person: plainName(found.person), host: String(found.host) }
		: null;
}

/** A new identity; whatever there was before is forgotten. Only this user may read it. */
export function newMachine(root: string, env: Env): Machine {
	const user = userConfig(thisUser(env)).findLast(([name]) => name === "user.name")?.[1];
	const person = plainName(user || env.USER || quietly(() => userInfo().username)) || "somebody";
	const machine = { keys: newKeys(), name: plainName(hostname()) || "a machine", person, host: hostPrint() };
	// (keys must read as they are; the file is 0600)
	writeJson(machinePath(root), machine, { durable: true, exact: { keys: machine.keys } });
	return machine;
}

/** A hash of what a system says of itself; of its name where it says nothing. */
export function hostPrint(): string {
	const ids = ["/etc/machine-id", "/var/lib/dbus/machine-id"].map((path) => readText(path, 4_096)?.trim());
	return sha256(`ccg host ${ids.find(Boolean) ?? hostname()}`).slice(0, 16);
}
