import space from "./001-space.sql" with { type: "text" };

/** What makes the schema, in order; the number of one is its place, from 1. A file that was released does not change. */
export const SCHEMA: readonly string[] = [space];
