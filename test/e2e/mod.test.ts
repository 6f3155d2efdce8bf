import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { MOD_VERSIONS } from "../../mod/versions.ts";
import pkg from "../../package.json" with { type: "json" };
import { printedBy, runNow } from "../kit/process.ts";
import { REPO } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";
import { bash, type ClaudeSandbox, claudePath, claudeSandbox, logged, times } from "./claude-sandbox.ts";
import { type ApiRequest, playing, type Reply } from "./loopback-api.ts";

const NUDGE = "ccg nudge: automatic compaction";
const STEERING = "Keep word for word, as quotations:";
const BLOCK = "ccg recovery precompact_checkpoint_";
const CONTINUED = ", continued: neither";

let mod: string;
let made: ClaudeSandbox;
beforeAll(() => {
	mod = makeMod();
});

/** The mod's folder; `spoil` changes its code. */
function makeMod(spoil: (code: string) => string = (code) => code): string {
	const folder = scratch("mod");
	printedBy([process.execPath, join(REPO, "scripts", "make-mod.ts"), folder, "--plugin", "--tests"]);
	const path = join(folder, "hooks", "register.js");
	const code = readFileSync(path, "utf8");
	writeFileSync(path, spoil(code));
	return folder;
}

/** Near at the second call, compacted behind the last. The hooks measure beside the turn, so it must not be over at once. */
const TURN: Reply[] = [
	...[20_000, 55_000, 55_000, 70_000].map((tokens, i) => ({ tools: [bash(`echo ${i}`)], tokens, delayMs: 300 })),
	...[8_000, 8_500].map((tokens, i) => ({ tools: [bash(`echo after-${i}`)], tokens })),
	{ text: "done", tokens: 9_000 },
];
const ASKED = "Build a parser in src/parser.ts. Never touch secret.txt.";

/** What the model holds at last, and what the summariser was told. */
function counted(requests: ApiRequest[]) {
	const count = (request: ApiRequest | undefined, text: string) => (request ? times(request, text) : -1);
	const [summary, ...more] = requests.filter(({ kind }) => kind === "summary");
	const before = requests[requests.indexOf(summary!) - 1];
	const last = requests.filter(({ kind }) => kind === "main").at(-1);
	return {
		summaries: 1 + more.length,
		nudges: count(before, NUDGE),
		steered: count(summary, STEERING),
		blocks: count(last, BLOCK) - count(last, CONTINUED),
		followUps: count(last, CONTINUED),
	};
}
const ONCE = { summaries: 1, nudges: 1, steered: 1, blocks: 1, followUps: 1 };

const play = async (folder: string, hooks = true) => {
	made = claudeSandbox(playing(TURN), hooks ? {} : { install: null });
	return made.claude(ASKED, "--plugin-dir", folder);
};

test("the mod's own tests and Claude Code's validation pass", () => {
	made = claudeSandbox(playing(TURN), { install: null });
	const ran = (...args: string[]) => runNow([claudePath(), "plugin", ...args, mod], { env: made.env });
	// a newer Claude Code here is a newer one there
	expect(MOD_VERSIONS).toContain(pkg.config.claudeCode);
	expect(ran("validate", "--strict")).toMatchObject({ code: 0 });
	expect(ran("test")).toMatchObject({ code: 0 });
});

describe("each once", () => {
	test("beside the hooks, by the mod; resumed with and without it and forked, the model holds the same", async () => {
		made = claudeSandbox(playing(TURN));
		const signs = join(made.home, "signs");
		const command = `echo "$CCG_MOD $CLAUDE_CODE_SESSION_ID" >>'${signs}'`;
		made.settings((settings) => {
			const { PostToolBatch } = settings.hooks as { PostToolBatch: { hooks: object[] }[] };
			PostToolBatch.push({ hooks: [{ type: "command", command }] });
		});
		const { session_id: sid } = await made.claude(ASKED, "--plugin-dir", mod);
		// the mod's sign is the session's id, as the hook's own environment names it
		expect(readFileSync(signs, "utf8")).toContain(`${sid} ${sid}\n`);
		expect(counted(made.api.requests)).toEqual(ONCE);
		const first = made.api.requests.findIndex(({ kind }) => kind === "summary") + 1;
		// both parts stand behind the summary at once, as the plugin's notes
		expect(times(made.api.requests[first]!, "Note from the ccg plugin")).toBe(2);
		expect(times(made.api.requests[first - 2]!, "tool.call hook additional context: ccg nudge")).toBe(1);
		const status = JSON.parse(made.ccg("status", sid, "--json"));
		expect(status.checkpoint.delivered).toBe("yes");
		for (const more of [["--plugin-dir", mod], [], ["--fork-session"]]) {
			await made.claude("go on", "--resume", sid, ...more);
			const last = made.api.requests.at(-1)!;
			expect([times(last, BLOCK), times(last, CONTINUED)], more.join(" ")).toEqual([2, 1]);
		}
		const requests = made.api.requests.length;
		const { result } = await made.claude("/ccg", "--resume", sid, "--plugin-dir", mod);
		expect([result, made.api.requests.length]).toEqual([expect.stringContaining("compacts at"), requests]);
		expect(logged(made)).toBe("");
	});

	test("without hooks", async () => {
		await play(mod, false);
		expect(counted(made.api.requests)).toEqual(ONCE);
		expect(logged(made)).toBe("");
	});
});

const CALL = 'on("tool.call", async ($, e, next) => {';
const COMPACT = 'on("session.compact", async ($, e, next) => {';
const put = (where: string, fault: string) => (code: string) => {
	expect(code.split(where)).toHaveLength(2);
	return code.replace(where, `${where} ${fault}`);
};
const THROW = "throw new Error('x');";
const FAULTS: Record<string, (code: string) => string> = {
	"throws at each event": (code) => put(CALL, THROW)(put(COMPACT, THROW)(code)),
	"loops in a tool call, and is unloaded": put(CALL, "for (;;);"),
	"hangs before a compaction": put(COMPACT, "await new Promise(() => {});"),
	"loops behind a compaction, and is unloaded": put("if (result.messages)", "for (;;);"),
	"is broken": (code) => `${code}\n}`,
};

test("the hooks take over in the same session, whatever the mod does: each once", async () => {
	const plays = Object.entries(FAULTS).map(async ([name, spoil]) => {
		const own = claudeSandbox(playing(TURN));
		try {
			await own.claude(ASKED, "--plugin-dir", makeMod(spoil));
			return [name, counted(own.api.requests)];
		} finally {
			await own.close();
		}
	});
	const expected = Object.keys(FAULTS).map((name) => [name, ONCE]);
	expect(await Promise.all(plays)).toEqual(expected);
});

test("in a terminal: the band, /compact without an echo of what the summariser is told, the line for the user", async () => {
	const script = playing([
		{ tools: [bash("echo one")], tokens: 55_000 },
		{ text: "built", tokens: 56_000 },
		{ text: "finished" },
	]);
	made = claudeSandbox(script);
	made.settings((settings) => delete settings.statusLine);
	const screen = made.terminal("--plugin-dir", mod);
	const say = async (text: string): Promise<void> => {
		screen.type(text);
		await screen.shows(text.slice(-12));
		// Enter right behind a text would be part of a paste
		await Bun.sleep(300);
		screen.enter();
	};
	await screen.shows("auto mode on");
	await say(ASKED);
	await screen.shows(/ccg: 1[12]k left of 67k, flush/);
	await screen.shows("built");
	await say("/compact mind the names");
	await screen.shows("Compacted");
	const shown = await screen.shows(/ ccg: the summary kept 0 of 1 thing you said; 1 is back/);
	await say("go on");
	await screen.shows("finished");
	const { session } = made.api.requests.at(-1)!;
	screen.end();
	const summary = made.summaries()[0]!;
	expect(summary.last).toMatch(/mind the names\s+ccg: /);
	expect(shown).not.toContain(STEERING);
	expect(counted(made.api.requests)).toEqual(ONCE);
	await made.claude("again", "--resume", session);
	expect(counted(made.api.requests)).toEqual(ONCE);
});
