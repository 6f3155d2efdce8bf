import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import { tryOrUndefined } from "../../src/files/quietly.ts";
import { printedBy } from "../kit/process.ts";
import { claudePath, claudeSandbox, everything, logged, times } from "./claude-sandbox.ts";
import type { Reply } from "./loopback-api.ts";
import { bash, does, says, thenDoes } from "./replies.ts";

/**
 * One session on whichever Claude Code `CCG_TEST_CLAUDE` names, and what of ccg works in it. `scripts/test-versions` drives
 * ten versions and prints the matrix; `CCG_TEST_MATRIX` names the file that each run adds its row to.
 */
const RULE = "Never touch the file legacy.c, and prefer small commits.";
const NOTE = "Ports are listed in config/ports.yaml.";

const STEPS: Reply[] = [
	does(20_000, bash("echo forbidden-run")),
	thenDoes(140_000, bash("echo near")),
	thenDoes(150_000, bash("echo a"), bash("echo b"), bash("echo c")),
	thenDoes(155_000, bash("echo on")),
	thenDoes(190_000, bash("echo full")),
	thenDoes(30_000, bash("echo behind")),
	says(31_000, "all done"),
];

test("what works on this version", async () => {
	const made = claudeSandbox(STEPS, { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000" } });
	made.settings((settings) => {
		settings.permissions = { deny: ["Bash(echo forbidden-run)"] };
	});
	made.ccg("memory", "save", NOTE);
	const version = printedBy([claudePath(), "--version"], { env: made.env }).split(" ")[0];
	const model = ["--model", "claude-sonnet-4-6"];
	const { session_id: sid } = await made.claude(`Write a parser. ${RULE}`, ...model);
	const requests = [...made.api.requests];
	const main = requests.filter(({ kind }) => kind === "main");
	const cut = requests.findIndex(({ kind }) => kind === "summary");
	const after = cut < 0 ? [] : requests.slice(cut).filter(({ kind }) => kind === "main");
	const again = async (...args: string[]): Promise<number | string> => {
		await made.claude("go on", ...model, ...args);
		const last = made.last();
		if (last.body.messages.length === 1) return "a new session";
		return times(last, "ccg recovery precompact_checkpoint_") > 0 && everything(last).includes(RULE) ? 1 : 0;
	};
	const reported = tryOrUndefined(() => made.ccg("show", "--as", "report", "--session", sid, "--json").trim());
	const before = cut < 0 ? main : requests.slice(0, cut).filter(({ kind }) => kind === "main");
	const observed = {
		settings: !main[1]!.all.includes("forbidden-run\n") && /denied|permission/i.test(main[1]!.all),
		notes: everything(main[0]!).includes(NOTE),
		nudges: times(before.at(-1)!, "ccg nudge"),
		steering: requests.some(
			({ kind, all }) => kind === "summary" && all.includes("ccg: the user's messages, file names"),
		),
		block: after.length > 0 && everything(after[0]!).includes(RULE),
		report: reported !== undefined && reported !== "[]",
		resumed: await again("--resume", sid),
		continued: await again("--continue"),
		forked: await again("--resume", sid, "--fork-session"),
		log: logged(made),
	};
	if (process.env.CCG_TEST_MATRIX)
		appendFileSync(process.env.CCG_TEST_MATRIX, `${JSON.stringify({ version, ...observed })}\n`);
	// some versions begin a new session for `--continue` when the last one was headless
	const continued = observed.continued === "a new session" ? observed.continued : 1;
	const works = { settings: true, notes: true, nudges: 1, steering: true, block: true, report: true };
	expect(observed).toEqual({ ...works, resumed: 1, continued, forked: 1, log: "" });
});
