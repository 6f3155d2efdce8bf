/** Writes `settings.example.json` from the catalog; a test compares the two. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { settingsExample } from "../src/install/settings-text.ts";

writeFileSync(join(import.meta.dir, "..", "settings.example.json"), settingsExample("/path/to/ccg/bin/ccg"));
