/**
 * Every text that ccg gives for the recordings, held in `bench/frozen/`: steering, block, report, handoff, checkpoint,
 * status line. A step that changes nothing leaves them equal; one that changes them on purpose commits the difference.
 *
 *   npm run frozen              ends 1 and prints what differs
 *   npm run frozen -- --write   holds the texts of now
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { loadCases } from "./fidelity/cases.ts";
import { type Ccg, replayer } from "./fidelity/replay.ts";

const FOLDER = join(import.meta.dirname, "frozen");
const root = realpathSync(mkdtempSync(join(tmpdir(), "ccg-frozen-")));
const [option] = process.argv.slice(2);

/** What a status line is given at 60 % of the way. */
const STATUS = JSON.stringify({
	session_id: "frozen",
	model: { display_name: "Model" },
	context_window: { context_window_size: 200_000, current_usage: { input_tokens: 100_000 } },
});

/** Without the moment, the machine and the place. */
const timeless = (text: string): string =>
	text
		.replaceAll(root, "ROOT")
		.replaceAll(resolve(import.meta.dirname, ".."), "CCG")
		// where a sentence wraps depends on the length of that place
		.replace(/A \* marks[\s\S]*?colours:/g, (said) => said.replace(/\s+/g, " "))
		.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "TIME")
		.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "TIME")
		.replace(/([a-z]+_checkpoint)_\d{8}_\d{6}(?:_\d+)?/g, "$1_KEY")
		.replace(/\b\d\d:\d\d\b/g, "HH:MM")
		.replace(/Memory [\d.]+\/[\d.]+ GB used(?:, disk \d+% used)?(?:, load [\d.]+)?(?:, up [\dhdm ]+)?/g, "Memory")
		.replace(/\b\d+ processes/g, "N processes")
		.replace(/\b\d+s ago(?:,| +)/g, "just now ")
		.replace(/\b\d+ (?:min|h|d) ago\b/g, "then")
		// (a key has a number where two checkpoints fall into one second)
		.replace(/injected [\d,]+ characters/g, "injected N characters")
		.replace(/sha256:? ?[0-9a-f]{64}/g, "SEAL")
		.replace(/\b\d+(?: ms|\.\d KB| KB| bytes)\b/g, "N");

try {
	const replay = replayer(root);
	const cases = ["../demo", "fidelity"].flatMap((name) =>
		loadCases(resolve(import.meta.dirname, name)).map((one) => ({ ...one, name: basename(name) })),
	);
	let differs = 0;
	for (const one of cases) {
		const parts: Record<string, string> = {};
		const { steering, block, call, prompt } = replay(one, (ccg: Ccg) => {
			const forms = [
				"show latest --as report",
				"show latest --as handoff",
				"show latest",
				"show --as approvals",
				"status",
			];
			for (const words of forms) parts[words] = ccg(words.split(" "));
			// its columns are as wide as "9s ago" or "12s ago" needs
			parts.status = parts.status!.replace(/ {2,}/g, "  ");
			for (const columns of [60, 80, 120])
				parts[`status line, ${columns} columns`] = ccg(["statusline"], { input: STATUS, columns });
		});
		const all = { steering, block, call, prompt, ...parts };
		const text = Object.entries(all)
			.map(([name, part]) => `=== ${name}\n${timeless(part).trimEnd()}\n`)
			.join("\n");
		differs += compare(`${one.name}-${one.nth}`, text);
	}
	process.exitCode = differs > 0 ? 1 : 0;
} finally {
	rmSync(root, { recursive: true, force: true });
}

function compare(name: string, text: string): number {
	const path = join(FOLDER, `${name}.txt`);
	if (option === "--write") {
		mkdirSync(FOLDER, { recursive: true });
		writeFileSync(path, text);
		return 0;
	}
	if (existsSync(path) && readFileSync(path, "utf8") === text) return 0;
	const now = join(root, `${name}.txt`);
	writeFileSync(now, text);
	const { stdout } = spawnSync("diff", ["-u", "-N", path, now], { encoding: "utf8" });
	console.log(stdout);
	return 1;
}
