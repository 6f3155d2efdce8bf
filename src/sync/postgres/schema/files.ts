import space from "./001-space.sql" with { type: "text" };
import leases from "./002-leases.sql" with { type: "text" };
import texts from "./003-texts.sql" with { type: "text" };
import members from "./004-members.sql" with { type: "text" };
import vectors from "./005-vectors.sql" with { type: "text" };

/** What makes the schema, in order; the number of one is its place, from 1. A file that was released does not change. */
export const SCHEMA: readonly string[] = [space, leases, texts, members, vectors];
