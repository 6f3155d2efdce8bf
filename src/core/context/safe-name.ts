import { safeHead } from "../text/safe-head.ts";

/** A name of the transcript, safe and on one line. */
export const safeName = (text: string): string => safeHead(text, 1_000).replace(/\s+/g, " ");
