/** An object of a transcript line, of any shape. */
export type Json = Record<string, unknown>;
