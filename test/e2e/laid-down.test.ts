import { expect, test } from "vitest";
import { type ClaudeSandbox, claudeSandbox, logged } from "./claude-sandbox.ts";
import { playing, type Reply } from "./loopback-api.ts";
import { bash, does, says } from "./replies.ts";

/** A turn that ends far from a compaction, and one in which it comes. */
const CALM: Reply[] = [says(20_000, "done")];
const COMPACTED: Reply[] = [does(90_000, bash("echo on")), says(15_000, "done")];

/** The last message of more than a few words: it stands with the request, which is short. */
const LONGER = "Use SQLite for the store instead of MySQL.";

/** What the user says, turn by turn; `|` stands where a compaction comes in that turn. */
const SAID = [
	"Always run the linter before each commit.",
	"Never push to main.",
	"Use Postgres for the store.",
	"Forget what I said about the linter.",
	"|Use MySQL for the store instead of Postgres.",
	"You may push to main today, just for the hotfix.",
	LONGER,
	"Never push to main again.",
	"|Write the parser.",
];

test("what the user laid down, took back and allowed for once is told whole and in its order after two compactions", async () => {
	const made: ClaudeSandbox = claudeSandbox(playing(SAID.flatMap((text) => (text.startsWith("|") ? COMPACTED : CALM))));
	let sid = "";
	for (const text of SAID) {
		const { session_id } = await made.claude(text.replace("|", ""), ...(sid ? ["--resume", sid] : []));
		sid = session_id;
	}
	expect(made.summaries()).toHaveLength(2);
	const last = made.main().at(-1)!.all;
	const block = last.slice(last.lastIndexOf("ccg recovery precompact_"));
	const words = block.slice(
		block.indexOf("## The user's words before it, in order of time"),
		block.indexOf("\n\nMost of what"),
	);
	expect(words.split("\n").slice(1)).toEqual(
		SAID.slice(0, -1)
			.filter((text) => text !== LONGER)
			.map((text) => expect.stringMatching(`^- \\d+ min ago: "${text.replace("|", "")}"$`)),
	);
	const request = block.slice(
		block.indexOf("## Request at hand (the user's last message, verbatim)"),
		block.indexOf("## Where it stood"),
	);
	expect(request).toContain("> Write the parser.");
	expect(request).toContain(`"${LONGER}"`);
	expect(logged(made)).toBe("");
}, 120_000);
