import { describe } from "vitest";
import { programAt } from "./postgres.ts";

/** Whether these programs are there; in CI they must be. */
export const canRun = (...programs: string[]): boolean =>
	Boolean(process.env.CCG_E2E_REQUIRED) || programs.every((name) => programAt(name));

/** Skipped where there is no such program, but not in CI. */
export const describeWith = (...programs: string[]) => describe.skipIf(!canRun(...programs));
