import { Glob } from "bun";
import { REPO } from "./sandbox.ts";

/** The Node that `scripts/bring-node` has brought; `null` where it was not run. */
export function realNode(): string | null {
	const [found] = new Glob(".cache/node-*/node_modules/*/bin/node").scanSync({ cwd: REPO, absolute: true, dot: true });
	return found ?? null;
}
