import { codedError } from "../files/system-failure.ts";

/** A place that keeps one document a machine. It may be hostile and may fail at any step; whoever reads checks what it gives.
 *  A method throws when it did not do what it says; an error of code `EOFFLINE` says that nothing is there to ask. */
export interface Carrier extends AsyncDisposable {
	/** The machines that have a document there, each with a text that changes whenever its bytes do. */
	list(): Promise<{ machine: string; version: string }[]>;
	/** A document; `null` where there is none. Of one that is too large a part that is too large, or it throws. */
	get(machine: string): Promise<Uint8Array | null>;
	/** Puts this machine's document there, whole and durable; `null` takes it away. */
	put(machine: string, bytes: Uint8Array | null): Promise<void>;
}
export const MACHINE_ID = /^[0-9a-f]{32}$/; // the beginning of the SHA-256 of its public key
export const MAX_MACHINES = 200;
export const MAX_DOCUMENT = 4 * 1024 * 1024;

/** Gives the machines that have a document at a carrier, each with its version. Throws with code `ETOOBIG` for more than may share. */
export async function listDocuments(carrier: Carrier, where: string): Promise<Map<string, string>> {
	const listed = await carrier.list();
	const why = `${where} holds ${listed.length} documents, more than the ${MAX_MACHINES} that may share`;
	if (listed.length > MAX_MACHINES) throw codedError("ETOOBIG", why);
	return new Map(listed.flatMap(({ machine, version }) => (MACHINE_ID.test(machine) ? [[machine, version]] : [])));
}
