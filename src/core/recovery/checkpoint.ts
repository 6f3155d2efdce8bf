import type * as z from "zod/mini";
import type * as stored from "./stored-shapes.ts";

export type Checkpoint = z.infer<typeof stored.checkpoint>;
