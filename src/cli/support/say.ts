import type { Io } from "./io.ts";
import { wrapped } from "./layout/fit.ts";
import { asTyped } from "./own-name.ts";

/** Prints a text of ours on stdout, in the terminal's width; commands in it can be typed. */
export function say(text: string, io: Io): void {
	for (const line of wrapped(asTyped(text, io), io.columns ?? Number.POSITIVE_INFINITY)) io.out(line);
}
