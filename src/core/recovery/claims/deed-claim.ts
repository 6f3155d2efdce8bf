import type { DeedKind } from "../../state/deed-kinds.ts";

/** A statement of a summary that something was done. */
export interface DeedClaim {
	kind: Extract<DeedKind, "commit" | "push" | "deploy" | "test" | "edit">;
	/** The sentence it stands in. */
	sentence: string;
	/** The file it names, `""` without one. */
	file: string;
	/** Said of the thing, not of who did it ("was pushed"): others may have done it. */
	isPassive: boolean;
	/** Says how it is now. */
	isNow: boolean;
	/** Of tests: which ones are meant, lower case; `""` for all. */
	which: string;
}
