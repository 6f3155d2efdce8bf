import {
	appendFileSync,
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { DATA_KEYS } from "../../src/cli/support/answer.ts";
import { hasHaltPass } from "../../src/core/session/cycle.ts";
import { writeToStore } from "../../src/store/database.ts";
import { raiseHaltFlag, readHaltTime, writeLastUsage } from "../../src/store/pressure/flags.ts";
import { projectDataFolder } from "../../src/store/project.ts";
import { readCycle } from "../../src/store/session/cycles.ts";
import { keepSessionFolder } from "../../src/store/session/place.ts";
import { sessionHandle } from "../../src/store/session-handle.ts";
import { runCcg, type Said } from "../kit/ccg.ts";
import { change, setCommitted } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { LAUNCHER, REPO, run } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { usage } from "../kit/usage.ts";
import { scratch } from "../scratch-home.ts";
import { addSession } from "./session-store.ts";

/**
 * Plays the stories of `stories/*.txt`, each in a home of its own on a clock of its own. `== name` begins one, and each line is a step:
 * - `$ WORDS` runs ccg, which is to end 0; `$3 WORDS` is to end 3, `$1` and `$2` with nothing on stdout (`$1x`: with an answer)
 * - `> TEXT` stands on stdout, `! TEXT` on stderr, `- TEXT` on neither; `…` in it is any text
 * - other words are in `STEPS`
 *
 * `@SID@` is the session, `@LONG@` a text of 9,000 characters; `@HOME@`, `@WORK@` (the project), `@STORE@`, `@TASK@`, `@NOTES@`, `@TALK@`
 * (the transcript of what `user`, `agent`, `call` and `failed` say) and `@CCG@` stand for paths.
 */
const FOLDER = join(import.meta.dirname, "stories");
const SID = "0c0ffee0-0000-4000-8000-000000000000";

function begin() {
	const [home, work] = [scratch("story"), scratch("ledger")];
	const store = join(home, ".claude-memory");
	const NOTES = projectDataFolder(store, work);
	return {
		names: {
			...{ HOME: home, WORK: work, STORE: store, NOTES, CCG: LAUNCHER, REPO, SID, LONG: "x".repeat(9_000) },
			TASK: join(store, "sessions", "s-1"),
			SETTINGS: join(home, ".claude", "settings.json"),
			LOCAL: join(work, ".claude", "settings.local.json"),
			COMMANDS: join(home, ".claude", "commands", "ccg"),
			TALK: join(home, ".claude", "projects", "p", `${SID}.jsonl`),
		},
		env: { HOME: home } as Record<string, string>,
		cwd: work,
		now: new Date("2026-01-31T12:00:00Z"),
		launcher: LAUNCHER,
		colours: false,
		stdin: "",
		talk: new Transcript(work),
		kept: {} as Record<string, string>,
		interactive: false,
		answer: false,
		said: null as Said | null,
	};
}
type Story = ReturnType<typeof begin>;

const handle = ({ names }: Story, sid = "s-1") => sessionHandle(storeAt(names.STORE), sid);
const put = (path: string, text: string): void => {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	writeFileSync(path, text);
};
/** JSON as one line, whatever its form on the disk. */
const read = (path: string): string => {
	const text = readFileSync(path, "utf8");
	return path.endsWith("state.json") && text.endsWith("}\n") ? JSON.stringify(JSON.parse(text)) : text;
};

/** The first word, and what stands behind it with `\\n` as line ends. */
const parted = (rest: string): [string, string] => {
	const [, first, text] = /^(\S+) ?(.*)$/.exec(rest)!;
	return [first!, text!.replaceAll("\\n", "\n")];
};

/** A line of the session's transcript; behind ` => ` stands what a call gave. */
const said = (add: (talk: Transcript, text: string, result: string) => Transcript) => (story: Story, rest: string) => {
	const [text = "", result = ""] = rest.split(" => ");
	put(story.names.TALK, add(story.talk, text, result).text());
};

const STEPS: Record<string, (story: Story, rest: string) => unknown> = {
	/** On today's clock, as what a hook keeps. */
	today: (story) => Object.assign(story, { now: new Date() }),
	/** The first group of a pattern in the answer, by a name. */
	let: ({ names, said }, rest) => {
		const [name, pattern] = parted(rest);
		Object.assign(names, { [name]: new RegExp(pattern).exec(said!.out)![1] });
	},
	/** A hook as Claude Code runs it, of the session; `tool` names a call. */
	async hook(story, rest) {
		const { WORK: cwd, TALK } = story.names;
		const [name, tool, sid = SID] = rest.split(" ");
		const call = { tool_name: tool, tool_input: { command: "ls" }, source: tool, hook_event_name: "any" };
		const transcript_path = existsSync(TALK) ? TALK : join(cwd, `${sid}.jsonl`);
		const input = { session_id: sid, transcript_path, cwd, ...call };
		story.said = (await run([LAUNCHER, "hook", name!], { cwd, env: story.env, input })) as Said;
	},
	sql: ({ names }, text) => writeToStore(storeAt(names.STORE), (rows) => void rows.run(text)),
	told: (story) => change(handle(story), { isHaltTold: true }),
	/** A session that said, asked and failed a little: by its id, folder and end, else the project's own that goes on. */
	session({ names }, rest) {
		const [sid = "", folder = names.WORK, ended] = rest.split(" ");
		mkdirSync(folder, { recursive: true });
		addSession(names.HOME, sid || SID, folder, ended);
	},
	user: said((talk, text) => talk.typed(text)),
	agent: said((talk, text) => talk.said(text)),
	call: said((talk, command, result) => talk.call("Bash", { command }, result)),
	failed: said((talk, command, result) => talk.call("Bash", { command }, result, { failed: true })),
	/** From here on the commands run in a session, else a person's terminal. */
	in: (story, sid) => Object.assign(story, { env: { HOME: story.names.HOME, CLAUDE_CODE_SESSION_ID: sid } }),
	person: (story) => Object.assign(story, { env: { HOME: story.names.HOME } }),
	env: (story, set) => Object.assign(story.env, { [set.split("=")[0]!]: set.split("=")[1] }),
	launcher: (story, launcher) => Object.assign(story, { launcher }),
	colours: (story) => Object.assign(story, { colours: true }),
	cd: (story, cwd) => Object.assign(story, { cwd }),
	elsewhere: (story) => Object.assign(story, { cwd: scratch("elsewhere") }),
	back: (story) => Object.assign(story, { cwd: story.names.WORK }),
	asked: (story, answer) => Object.assign(story, { interactive: true, answer: answer === "yes" }),
	question: ({ said }, text) => expect(said!.asked.join()).toMatch(patternOf(text)),
	stdin: (story, text) => Object.assign(story, { stdin: text.replaceAll("\\n", "\n") }),
	later: (story, ms) => Object.assign(story, { now: new Date(story.now.getTime() + Number(ms)) }),
	write: (_, rest) => put(...parted(rest)),
	/** As a program does that reads JSON and writes it. */
	reformat: (_, path) => writeFileSync(path, JSON.stringify(JSON.parse(read(path)), null, "\t")),
	copy: (_, rest) => cpSync(...parted(rest), { recursive: true }),
	mode: (_, rest) => chmodSync(parted(rest)[1], Number.parseInt(rest, 8)),
	append: (_, rest) => appendFileSync(...parted(rest)),
	swap: (_, rest) => {
		const [path, change] = parted(rest);
		const [from, to] = change.split(" => ") as [string, string];
		put(path, readFileSync(path, "utf8").replace(from, to));
	},
	link(_, rest) {
		const [to, path] = parted(rest);
		mkdirSync(dirname(path), { recursive: true });
		symlinkSync(to, path);
	},
	remove: (_, path) => rmSync(path, { recursive: true }),
	keep: ({ kept }, path) => Object.assign(kept, { [path]: read(path) }),
	same: ({ kept }, path) => expect(read(path)).toBe(kept[path]),
	is: (_, rest) => expect(read(parted(rest)[0])).toBe(parted(rest)[1]),
	bits: (_, rest) => expect((statSync(parted(rest)[1]).mode & 0o777).toString(8)).toBe(parted(rest)[0]),
	lacks: (_, rest) => expect(read(parted(rest)[0])).not.toMatch(patternOf(parted(rest)[1])),
	none: (_, path) => expect(existsSync(path)).toBe(false),
	file: (_, rest) => expect(read(parted(rest)[0])).toMatch(patternOf(rest.slice(rest.indexOf(" ") + 1))),
	names: (_, rest) => expect(readdirSync(parted(rest)[0]).sort().join(" ")).toBe(parted(rest)[1]),
	/** A share of a trigger of 100,000 tokens, of the session of this name. */
	measured(story, rest) {
		const [share, sid = "s-1"] = rest.split(" ");
		keepSessionFolder(handle(story, sid), story.cwd);
		const seen = { cwd: story.cwd, at: story.now.toISOString(), tokens: Number(share) * 100_000 };
		writeLastUsage(handle(story, sid), usage({ ...seen, trigger: 100_000, window: 133_000 }));
	},
	compacted(story) {
		const key = "precompact_checkpoint_20260101_000000";
		setCommitted(handle(story), { key, at: story.now.toISOString(), trigger: "auto" });
	},
	halted: (story, sid) => raiseHaltFlag(handle(story, sid || "s-1"), story.now.toISOString()),
	halt: (story, rest) => {
		const [sid, state] = rest.split(" ");
		const since = readHaltTime(handle(story, sid));
		const now = !since ? "none" : hasHaltPass(readCycle(handle(story, sid)), since) ? "passes" : "stands";
		expect(now, sid).toBe(state);
	},
};

const patternOf = (text: string): RegExp =>
	new RegExp(RegExp.escape(text).replaceAll("…", "[^]*?").replaceAll("\\\\n", "\\n"));

async function play(story: Story, line: string): Promise<void> {
	const step = line.replace(/@([A-Z]+)@/g, (_, name: keyof Story["names"]) => story.names[name]);
	const [word = ""] = step.split(" ", 1);
	const rest = step.slice(word.length + 1);
	const [, code, isTold] = /^\$(\d?)(x?)$/.exec(word) ?? [];
	if (code !== undefined) {
		const words = rest.match(/"[^"]*"|'[^']*'|\S+/g)!.map((one) => one.replace(/^(["'])(.*)\1$/, "$2"));
		story.said = await runCcg(words, { ...story });
		expect(story.said, step).toMatchObject({ code: Number(code), ...(/[12]/.test(code) && !isTold && { out: "" }) });
		if (/ --json\b(?!.* --out )/.test(step) && story.said.out) expect(oddIn(story.said.json), step).toEqual([]);
	} else if (word === ">") expect(story.said!.out, step).toMatch(patternOf(rest));
	else if (word === "!") expect(story.said!.err, step).toMatch(patternOf(rest));
	else if (word === "-") expect(story.said!.out + story.said!.err, step).not.toMatch(patternOf(rest));
	else await STEPS[word]!(story, rest);
}

/** What is wrong in an answer in JSON: keys are in snake_case, times in ISO 8601. */
function oddIn(value: unknown, path = ""): string[] {
	if (value === null || typeof value !== "object") return [];
	if (Array.isArray(value)) return value.flatMap((one, i) => oddIn(one, `${path}[${i}]`));
	return Object.entries(value).flatMap(([key, one]) => {
		const at = `${path}.${key}`;
		const isTime = /(^|_)(at|timestamp|until)$/.test(key) && one !== null;
		const isOdd = isTime && !/^\d{4}-\d\d-\d\dT([\d:]{5}|[\d:]{8}\.\d{3})Z$/.test(String(one));
		const inside = DATA_KEYS.includes(key) ? [] : oddIn(one, at);
		return [...(isOdd || !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(key) ? [`${at} ${one}`] : []), ...inside];
	});
}

describe.each(readdirSync(FOLDER))("%s", (name) => {
	const stories = readFileSync(join(FOLDER, name), "utf8").split(/^== /m).slice(1);
	test.each(stories.map((one) => [one.split("\n")[0]!, one.split("\n").slice(1).filter(Boolean)] as const))(
		"%s",
		async (_, steps) => {
			const story = begin();
			for (const step of steps) await play(story, step);
		},
	);
});
