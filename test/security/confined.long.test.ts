/**
 * Attack 5: a permission rule allows all that begins as it does. What shipped grants and documented rules allow keeps to the
 * session's project, whatever stands behind it, and what came from a file is told as that.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { fromStore, inStore } from "../../src/store/database.ts";
import { waitingRestore } from "../../src/store/recovery/restore-request.ts";
import { ccg, listing, REPO } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { type Machine, machine, OTHER, OWN, PERSON } from "./confined-fixture.ts";
import { contextOf, play, textsBelow } from "./kit.ts";

let shared: Machine;
beforeAll(async () => {
	shared = await machine();
});

/** Everything outside of the project and of what ccg keeps of this session, with its bytes. */
const outside = ({ top, store, project }: Machine): string =>
	JSON.stringify([
		listing(top, project).filter((path) => !path.startsWith(store)),
		textsBelow(join(store, "sessions", OTHER)).filter(({ path }) => !path.endsWith(".md")),
		...["cycles", "records", "checkpoints", "heard"].map((table) =>
			fromStore(storeAt(store), (database) => database.query(`SELECT * FROM ${table} WHERE session = ?`).values(OTHER)),
		),
		waitingRestore(storeAt(store), { session: OTHER }),
	]);

/** Commands that name the other project's session, checkpoint or words, in place of capitals. */
const READS = [
	"show KEY",
	"show latest --session OTHER",
	"show OWN --against KEY",
	"show latest --as json --session OTHER",
	"show --as report --all",
	"show KEY --as pr",
	"show --as approvals --session OTHER",
	"show TRANSCRIPT",
	"checkpoint list --all",
	"checkpoint validate --all --json",
	"checkpoint save --session OTHER",
	"checkpoint delete KEY --yes",
	"checkpoint restore KEY --print",
	"checkpoint restore --from OTHER --print",
	"checkpoint restore OWN --session OTHER",
	"checkpoint restore STORE/ccg.sqlite",
	"status OTHER",
	"status --all",
	"gc OTHER --yes",
	"config use quiet --session OTHER",
	"memory edit --global 1 planted",
	"memory list",
	"recall --all VICTIM-WORDS",
	"recall --session OTHER VICTIM-WORDS",
	"recall VICTIM-WORDS",
	"task status --session OTHER",
	"task checkpoint --session OTHER --did x",
	"task checkpoint --file STORE/sessions/OTHER/task-state.json",
];
function wordsOf(line: string, { key, own, store, home, other }: Machine): string[] {
	const transcript = join(home, ".claude/projects", other.replace(/\W/g, "-"), `${OTHER}.jsonl`);
	const names: Record<string, string> = { KEY: key, OWN: own, STORE: store, OTHER, TRANSCRIPT: transcript };
	return line.split(" ").map((word) => word.replace(/(?<!-)[A-Z]{3,}(?!-)/g, (name) => names[name] ?? name));
}

describe("another project is neither read nor written by", () => {
	test.each(READS)("%s", async (line) => {
		const before = outside(shared);
		// where a hook recorded the project a variable or a cd changes nothing
		for (const [cwd, env] of [
			[shared.project, {}],
			[shared.other, { CLAUDE_PROJECT_DIR: shared.other }],
		] as const) {
			const { out, err } = await ccg(shared, wordsOf(line, shared), { cwd, env });
			expect(out.replace(/^No passage.*|for 'VICTIM-WORDS'.*/gm, "") + err).not.toContain("blue card");
			expect(outside(shared), line).toBe(before);
		}
	});

	test("any of them in a project whose settings switch hooks off and name the other", async () => {
		const at = await machine();
		inStore(storeAt(at.store), (database) => database.query("DELETE FROM cycles").run());
		const env = { CLAUDE_PROJECT_DIR: at.other, CLAUDE_CODE_SESSION_ID: "fresh" };
		for (const line of ["recall VICTIM-WORDS", "memory list", "memory save planted", "show latest"]) {
			const ran = await ccg(at, line.split(" "), { env });
			expect([ran.code, ran.out, ran.err]).toEqual([1, "", expect.stringContaining("CLAUDE_PROJECT_DIR is")]);
		}
		const own = await ccg(at, ["memory", "list"], { env: { ...env, CLAUDE_PROJECT_DIR: at.project } });
		expect([own.code, own.out.includes(OWN)]).toEqual([0, true]);
	});

	test("harmless: this project's, and others' with the word before the command, or by a person", async () => {
		const at = shared;
		const expectSaid = async (line: string, words: string, env = {}): Promise<void> => {
			const { code, out } = await ccg(at, wordsOf(line, at), { env });
			expect([line, code, out.includes(words)]).toEqual([line, 0, true]);
		};
		for (const line of ["show OWN", "show --as handoff", "recall OWN-WORDS", "memory list", "task bundle"])
			await expectSaid(line, "build the cart");
		for (const line of ["show KEY", "show --as handoff --session OTHER", "recall --all VICTIM-WORDS"])
			await expectSaid(`--anyway ${line}`, "blue card");
		const person = { ...PERSON, CLAUDECODE: "" };
		await expectSaid("--anyway checkpoint restore KEY --print", "blue card", person);
		expect((await ccg(at, ["checkpoint", "restore", at.key, "--print"], { env: person })).code).toBe(1);
	});

	test("a restore into another session says that one asked", async () => {
		const at = await machine();
		await ccg(at, ["--anyway", "checkpoint", "restore", at.own, "--session", OTHER]);
		const env = { CLAUDE_PROJECT_DIR: at.other, CLAUDE_CODE_SESSION_ID: OTHER };
		const fields = { session_id: OTHER, cwd: at.other };
		const [prompt] = await play(at, "user-prompt-submit", fields, { cwd: at.other, env });
		const told = contextOf(prompt!.out);
		expect(told).toContain("a command of another session restored it");
	});
});

test("no grant or documented rule allows what crosses projects, installs or takes away", () => {
	const folders = ["skills", "plugin", "agents", "docs"].flatMap((name) => textsBelow(join(REPO, name)));
	const texts = [readFileSync(join(REPO, "README.md"), "utf8"), ...folders.map(({ text }) => text)].join("\n");
	const rules = texts.match(/Bash\([^)\n]*\bccg\b[^)\n]*\)/g) ?? [];
	expect(rules.length).toBeGreaterThan(5);
	const tooWide = /--anyway|\b(?:install|uninstall|update|setup)\b|ccg:\*|ccg \*/;
	expect(rules.filter((rule) => tooWide.test(rule))).toEqual([]);
});
