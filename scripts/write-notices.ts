/** Writes `THIRD-PARTY-NOTICES`: the licences of what is bundled into `dist/`. A test compares the two. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { notices } from "./third-party.ts";

writeFileSync(join(import.meta.dir, "..", "THIRD-PARTY-NOTICES"), await notices());
