import { writeSync } from "node:fs";
import { errorCode, reasonOf } from "../../files/system-failure.ts";

/** Where a command's answer goes. */
export interface Output {
	/** Writes the text whole. Never throws: what could not be written is told by `lost`. */
	write(text: string): void;
	/** Why a part of the text did not arrive, in words; `null` when all of it did, or when nobody reads any more. */
	lost(): string | null;
}

/**
 * Writes to a file descriptor at once, so that a full disk is known before the process ends. A reader that went away (`| head`)
 * is no failure: the command does its work to the end, and what it would still say is dropped.
 */
export function outputTo(fd: number, write: typeof writeSync = writeSync): Output {
	let closed = false;
	let failure: string | null = null;
	return {
		write(text) {
			if (closed) return;
			try {
				writeWhole(fd, Buffer.from(text), write);
			} catch (error) {
				closed = true;
				if (errorCode(error) !== "EPIPE") failure = reasonOf(errorCode(error)) || String(error);
			}
		},
		lost: () => failure,
	};
}

function writeWhole(fd: number, bytes: Uint8Array, write: typeof writeSync): void {
	for (let at = 0; at < bytes.length; ) {
		try {
			at += write(fd, bytes, at, bytes.length - at);
		} catch (error) {
			// the other end of the pipe set it to "do not wait" and is slow
			if (errorCode(error) !== "EAGAIN") throw error;
			Bun.sleepSync(5);
		}
	}
}
