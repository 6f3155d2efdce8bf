import type { OnProblem, Store } from "../../src/store/session-handle.ts";

/** A store at a root. What its files are like is told to nobody, unless a test listens. */
export const storeAt = (root: string, onProblem: OnProblem = () => {}): Store => ({ root, onProblem });
