import { describe } from "vitest";
import { programAt } from "./postgres.ts";

/** Skipped where there is no such program, but not in CI. */
export const describeWith = (...programs: string[]) =>
	describe.skipIf(!process.env.CCG_E2E_REQUIRED && programs.some((name) => !programAt(name)));
