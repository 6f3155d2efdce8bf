import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Every place of a session in turn, in a process for each checkout: the attacks' kit takes its target from the environment. */
export async function measurePlaces(seed: number, repository: string, before: string | null): Promise<void> {
	for (const target of before ? [before, repository] : [repository]) {
		const { stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dir, "in-places.ts"), String(seed)], {
			env: { ...process.env, CCG_TEST_TARGET: target },
			encoding: "utf8",
		});
		console.log(
			`\nin every place of a session, ${target === repository ? "now" : "before"}: kept or printed as it was\n${stdout}${stderr}`,
		);
	}
}
