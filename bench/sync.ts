/**
 * What sharing costs: an exchange over a folder that holds documents of many machines, with news of all and with none, in processes of
 * their own as a session starts them. Then puts into a PostgreSQL server that it starts, beside bare UPDATEs of the same rows; ends 1 where
 * these are below the goal.
 *
 *   npm run bench:sync [-- --postgres: that alone] [--seconds N: of each row] [--json]
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { machineId, newSigningKey, packDocument } from "../src/sync/bytes.ts";
import type { Document, Value } from "../src/sync/document.ts";
import { projectMark } from "../src/sync/marks.ts";
import { canRun } from "../test/kit/with-programs.ts";
import { GOAL, measurePostgres } from "./documents-postgres.ts";

const LAUNCHER = join(import.meta.dirname, "..", "bin", "ccg");
const CASES = [
	[10, 100],
	[10, 10_000],
	[199, 100],
	[199, 10_000],
] as const;
const ID = /^[0-9a-f]{32}$/;

const { values: given } = parseArgs({
	options: {
		...{ json: { type: "boolean", default: false }, postgres: { type: "boolean", default: false } },
		seconds: { type: "string", default: "4" },
	},
});
const print = (rows: object[]): void => (given.json ? console.log(JSON.stringify(rows)) : console.table(rows));

const top = mkdtempSync(join(tmpdir(), "ccg-bench-sync-"));
const rows: object[] = [];
try {
	for (const [machines, values] of given.postgres ? [] : CASES) {
		const base = join(top, `${machines}-${values}`);
		const [home, shared, project] = [join(base, "home"), join(base, "shared"), join(base, "home", "app")];
		for (const folder of [shared, project]) mkdirSync(folder, { recursive: true });
		const ccg = (...args: string[]) => {
			const began = performance.now();
			const { exitCode, stderr, resourceUsage } = Bun.spawnSync([LAUNCHER, ...args], {
				cwd: project,
				env: { HOME: home, PATH: process.env.PATH, USER: "me" },
			});
			if (exitCode !== 0) throw new Error(stderr.toString());
			return { ms: performance.now() - began, mb: (resourceUsage?.maxRSS ?? 0) / 1024 / 1024 };
		};
		ccg("memory", "save", "of this machine");
		ccg("sync", "init", shared, "--project", "app", "--yes");
		const mark = projectMark(project, "app", {});
		const keys = Array.from({ length: machines }, () => ({ sign: newSigningKey() }));
		const ids = keys.map(({ sign }) => machineId(sign.x));
		const own = readdirSync(join(shared, "ccg-sync")).find((name) => ID.test(name))!;
		let bytes = 0;
		for (const [n, key] of keys.entries()) {
			const machine = ids[n]!;
			const notes = Array.from(
				{ length: values },
				(_, i): Value => ({
					...{
						id: `${machine}-1-${i.toString(16).padStart(8, "0")}`,
						item: `note:${n}-${i}`,
						kind: "note",
						project: mark,
					},
					text: `machine ${n} says of thing ${i} that it is as ${i * n} others are`,
					...{ at: new Date(1.7e12 + i * 1_000).toISOString(), replaces: [] },
				}),
			);
			const members = Object.fromEntries([own, ...ids].filter((one) => one !== machine).map((one) => [one, ""]));
			const document: Document = {
				machine,
				version: 1,
				name: `m${n} on desk`,
				...{ seen: {}, members, removed: [], letIn: {}, ask: "", values: notes },
			};
			const packed = await packDocument(document, key, []);
			bytes += packed.length;
			writeFileSync(join(shared, "ccg-sync", machine), packed);
		}
		// the first one is let in by hand: it names the others
		const path = join(home, ".claude-memory", "sync");
		const {
			writeOwnDocument: keepOwn,
			requireSpace: needSpace,
			readOwnDocument: ownDocument,
		} = await import("../src/sync/space.ts");
		const opened = needSpace({ root: join(home, ".claude-memory"), onProblem: () => {} });
		await keepOwn(opened, { ...(await ownDocument(opened)), members: { [ids[0]!]: "" } });
		const news = ccg("sync", "now");
		ccg("sync", "now");
		const idle = ccg("sync", "now");
		const size = statSync(join(path, "documents", own)).size;
		rows.push({
			...{ machines, values, "KB a document": Math.round(bytes / machines / 1024), "KB own": Math.round(size / 1024) },
			...{ "ms with news": Math.round(news.ms), "MB with news": Math.round(news.mb) },
			...{ "ms without": Math.round(idle.ms), "MB without": Math.round(idle.mb) },
		});
	}
} finally {
	rmSync(top, { recursive: true, force: true });
}
if (!given.postgres) print(rows);
if (canRun("postgres")) {
	const puts = await measurePostgres(Number(given.seconds));
	print(puts);
	process.exit(puts.some(({ ratio }) => ratio < GOAL) ? 1 : 0);
}
console.error("SKIPPED: there is no PostgreSQL here");
