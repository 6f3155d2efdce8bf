import type * as z from "zod/mini";
import type * as shapes from "./checkpoint-shape.ts";

export type Checkpoint = z.infer<typeof shapes.checkpoint>;
/** What the workspace told beside the session's state. */
export type Workspace = z.infer<typeof shapes.workspace>;
/** Lines that stand in the context word for word beside a summary: their places, without `to` up to now. */
export type Kept = z.infer<typeof shapes.kept>;
