import type { LossReport } from "../../core/recovery/loss-report.ts";

/** A report with what the store and the transcript tell beside it. */
export interface ShownReport extends LossReport {
	/** Context size behind the compaction; `null` when the transcript does not tell. */
	tokensAfter: number | null;
	/** The project's name; `""` when its folder is not known any more. */
	project: string;
	folder: string;
}
