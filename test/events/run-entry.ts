/** Moved; this goes when the last test file imports the kit. */
export * from "../kit/sandbox.ts";
