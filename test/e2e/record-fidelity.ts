/**
 * Records the session of planted facts, with three compactions, for `bench/fidelity.ts`. Not a test; run it by hand:
 *
 *   CCG_TEST_CLAUDE=.cache/claude-code-2.1.329/node_modules/.bin/claude npx bun test/e2e/record-fidelity.ts
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { playFacts } from "./planted-facts.ts";
import { recorded } from "./recorded.ts";

/** As summaries are: the work in broad strokes, few of the user's words. */
const SUMMARY = `<analysis>An export of ledgers.</analysis>
<summary>
1. Primary request: export the ledgers and tell the row count.
2. Files: exporter.ts was written, notes.md holds limits.
3. Work done: the schema was read, one commit; one query failed.
4. Next step: finish the export to Parquet.
</summary>`;

const { made, sid } = await playFacts(SUMMARY);
writeFileSync(resolve(import.meta.dirname, "../../bench/fidelity/session.jsonl"), recorded(made, sid));
await made.close();
