import { coded } from "../files/system-failure.ts";

/** A place that keeps one document a machine. It may be hostile and may fail at any step; whoever reads checks what it gives.
 *  A method throws when it did not do what it says; an error of code `EOFFLINE` says that nothing is there to ask. */
export interface Carrier {
	/** The machines that have a document there, each with a text that changes whenever its bytes do. At most `MAX_MACHINES`; throws with code `ETOOBIG` above. */
	list(): Promise<{ machine: string; version: string }[]>;
	/** A document, at most `MAX_DOCUMENT` bytes; `null` where there is none. */
	get(machine: string): Promise<Uint8Array | null>;
	/** Puts this machine's document there, whole and durable; `null` takes it away. */
	put(machine: string, bytes: Uint8Array | null): Promise<void>;
	close(): Promise<void>;
}
export const MACHINE = /^[0-9a-f]{32}$/; // the beginning of the SHA-256 of its public key
export const MAX_MACHINES = 200;
export const MAX_DOCUMENT = 4 * 1024 * 1024;

/** Throws where a place holds more documents than a space has machines. */
export function refuseMany(many: number, where: string): void {
	if (many > MAX_MACHINES)
		throw coded("ETOOBIG", `${where} holds ${many} documents, more than the ${MAX_MACHINES} machines of a space`);
}

/** Throws where a document is too large to be read; also where its size is not known. */
export function refuseLarge(size: number): void {
	if (!(size <= MAX_DOCUMENT))
		throw coded("ETOOBIG", `it has ${size} bytes, more than the ${MAX_DOCUMENT} of a document`);
}
