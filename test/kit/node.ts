import { programsOnPath } from "../../src/files/on-path.ts";
import { runNow } from "./process.ts";

/** A real Node of 20 or newer; `null` where there is none. (`bun --bun` puts itself on PATH under that name.) */
export function realNode(): string | null {
	const asks = "process.exit(!process.versions.bun && parseInt(process.versions.node) >= 20 ? 0 : 1)";
	for (const program of programsOnPath("node", process.env.PATH ?? ""))
		if (runNow([program, "-e", asks]).code === 0) return program;
	return null;
}
