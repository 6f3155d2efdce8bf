import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runNow } from "../../test/kit/process.ts";

/** Every place of a session in turn, through the hooks of each checkout, as the attacks in `test/security` do it. */
export async function measurePlaces(seed: number, repository: string, before: string | null): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "ccg-bench-"));
	try {
		for (const target of before ? [before, repository] : [repository]) {
			const counts = join(folder, "counts.txt");
			rmSync(counts, { force: true });
			const args = ["--bun", "vitest", "run", "--project", "security", "test/security/redact-places.long.test.ts"];
			const { out } = runNow(["npx", "--no-install", "bun", ...args], {
				cwd: repository,
				env: {
					...process.env,
					CCG_TEST_TARGET: target,
					REDACTION_COUNTS: counts,
					REDACTION_SEED: String(seed),
				},
			});
			console.log(`\n${target === repository ? "now" : "before"}: kept or printed as it was, by place`);
			console.log(existsSync(counts) ? readFileSync(counts, "utf8") : out);
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
