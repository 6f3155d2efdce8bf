import { cpSync, existsSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { quietly } from "../store/atomic-write.ts";
import { addBytecode } from "./bytecode.ts";

/** What a copy is made of: everything that runs, beside the folder's own packages. */
const PARTS = ["bin", "dist", "skills", "demo", "package.json", "LICENSE", "THIRD-PARTY-NOTICES"];

/**
 * A whole copy of the ccg in `from` as the folder `into`, with the Bun that runs this and bytecode for it. It comes into being by one
 * rename; one that is there stays. `origin` says in the copy what it was made by.
 */
export async function ownCopy({
	from,
	into,
}: {
	from: string;
	into: string;
	origin: string;
}): Promise<{ launcher: string }> {
	const launcher = join(into, "bin", "ccg");
	if (existsSync(launcher)) return { launcher };
	mkdirSync(dirname(into), { recursive: true, mode: 0o700 });
	const made = mkdtempSync(join(dirname(into), ".new-"));
	try {
		for (const part of PARTS.filter((name) => existsSync(join(from, name))))
			cpSync(join(from, part), join(made, part), { recursive: true });
		const bun = join(made, "node_modules", "@oven", "bun-own", "bin", "bun");
		mkdirSync(dirname(bun), { recursive: true });
		link(process.execPath, bun);
		await addBytecode(join(made, "dist"));
		quietly(() => renameSync(made, into));
		if (!existsSync(launcher)) throw new Error(`${basename(into)} could not be put into ${dirname(into)}`);
		return { launcher };
	} finally {
		rmSync(made, { recursive: true, force: true });
	}
}

/** The same file under a second name, else a copy of it. */
function link(from: string, to: string): void {
	try {
		linkSync(from, to);
	} catch {
		cpSync(from, to);
	}
}
