import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shellQuote } from "../../src/core/text/quoted.ts";
import { put } from "../security/kit.ts";
import { type ClaudeSandbox, claudeSandbox, everything, logged, times } from "./claude-sandbox.ts";
import { type ApiRequest, type Reply, textOf } from "./loopback-api.ts";
import { agent, bash, does, says } from "./replies.ts";

const INSTALL = { install: ["install", "--yes", "--skills"] };
const CCG = "~/.claude-memory/ccg";
let made: ClaudeSandbox;

const touched = (): string => join(made.project, "touched");
const results = (request: ApiRequest): string[] =>
	request.body.messages.flatMap(({ content }) =>
		Array.isArray(content) ? content.filter(({ type }) => type === "tool_result").map((one) => textOf([one])) : [],
	);
const checkpoints = (...args: string[]): { key: string; session: string }[] =>
	JSON.parse(made.ccg("checkpoint", "list", ...args, "--json")).checkpoints;

test("/ccg:checkpoint: what is typed is saved as it is, and run in no form; /ccg:restore brings it back", async () => {
	const NOTE = `it's "half" done; touch HERE && $(touch HERE) \`touch HERE\` !\`touch HERE\``;
	let steps: string[] = [];
	// a model that does what the slash command says, step by step, and then shows the last answer
	made = claudeSandbox((request) => {
		const session = /--session [0-9a-f-]{36}/.exec(request.all)?.[0] ?? "";
		const step = steps.shift()?.replace("SESSION", session);
		if (step) return does(5_000, bash(`${CCG} checkpoint ${step}`));
		return says(9_000, `Shown: ${results(request).at(-1)?.slice(0, 400)}`);
	}, INSTALL);
	const note = NOTE.replaceAll("HERE", touched());
	steps = [
		`-- "${note.replaceAll('"', "")}"`,
		...[`-- x; touch ${touched()}`, `-- x\ntouch ${touched()}`, `-- x > ${touched()}`],
	].map((words) => `save SESSION ${words}`);
	steps.push("delete manual --yes", `save SESSION -- ${shellQuote(note)}`);
	const { result, session_id: sid } = await made.strict(`/ccg:checkpoint ${note}`);
	expect(result).toContain("saved manual_");
	const last = made.last();
	// the words stand in the text; nothing was put in their place
	expect(last.all).toContain("<note>");
	expect(results(last).slice(0, 5).join()).not.toContain("saved manual_");
	expect([existsSync(touched()), checkpoints().length]).toEqual([false, 1]);
	const { key } = checkpoints()[0]!;
	expect(JSON.parse(made.ccg("show", key, "--json")).note).toBe(note);

	made.api.requests.length = 0;
	steps = ["restore manual SESSION", "list"];
	const restored = await made.strict("/ccg:restore manual");
	const end = made.last();
	expect(results(end)[0]).toContain(`restored ${key} to session`);
	expect(times(end, `ccg restored ${key}`)).toBe(1);
	expect(everything(end)).toContain("a command of this session restored it");
	expect(restored.session_id).not.toBe(sid);
	expect([existsSync(touched()), logged(made)]).toEqual([false, ""]);
});

test("unused they cost less than 1,200 characters; the agent has Bash alone, and its report comes back", async () => {
	const isAgent = ({ first, kind }: ApiRequest): boolean =>
		kind === "main" && first.includes("Save it, please.") && !first.includes("Have it saved.");
	const steps = ["memory list --all", "checkpoint save -- 'wave 1'"];
	steps.push("checkpoint validate manual", "checkpoint restore manual");
	made = claudeSandbox((request) => {
		if (!isAgent(request)) return undefined;
		const command = steps.shift();
		if (command) return does(4_000, bash(`${CCG} ${command}`));
		return says(5_000, `REPORT ${results(request)[1]?.split("\n")[0]}`);
	}, INSTALL);
	made.queue.push(does(20_000, agent("Save it, please.", { subagent_type: "context-guardian" })));
	made.queue.push(does(21_000, bash("echo next")), says(22_000, "done"));
	made.allow([`Bash(${CCG} checkpoint:*)`, `Bash(${CCG} memory list --all)`]);
	const { session_id: sid } = await made.strict("Have it saved.");
	const main = made.main().filter((one) => !isAgent(one));
	const lines = JSON.stringify(main[0]!.body).split(/\\n/);
	const own = lines.filter((line) => /^- (?:ccg:|context-guardian)/.test(line));
	const names = ["- ccg:context-guardian", "- ccg:look-up", "- context-guardian"];
	expect(own.map((line) => line.split(": ")[0]).sort()).toEqual(names);
	expect(own.join("\n").length).toBeLessThan(1_200);

	const ofAgent = made.api.requests.filter(isAgent);
	expect(ofAgent[0]!.body.tools?.map(({ name }) => name)).toEqual(["Bash"]);
	expect(results(ofAgent.at(-1)!)[2]).toMatch(/manual_\S+ of session .*: fit for a restore/);
	const [restorePoint, saved] = checkpoints("--session", sid);
	expect([restorePoint?.session, saved?.session]).toEqual([sid, sid]);
	expect(everything(main[1]!)).toContain(`REPORT saved ${saved!.key}`);
	// the restored text is for the main thread
	expect(ofAgent.map((one) => times(one, `ccg restored ${saved!.key}`)).every((count) => count === 0)).toBe(true);
	expect(times(main.at(-1)!, `ccg restored ${saved!.key}`)).toBe(1);
	expect(readFileSync(join(made.home, ".claude/agents/context-guardian.md"), "utf8")).toContain("tools: Bash\n");
	made.ccg("uninstall", "--yes");
	for (const name of ["commands", "agents"]) expect(existsSync(join(made.home, ".claude", name))).toBe(false);
});

test("a command of the user's own is a message; ccg's commands, its calls and an API error are nothing of what is told", async () => {
	const SAID = 'The flag is `--dry "run"` and 《AI合唱》 stays as it is. Write the parser.';
	made = claudeSandbox([], INSTALL);
	for (const name of ["review", "plain"])
		put(join(made.project, ".claude/commands", `${name}.md`), `Do the ${name}: $ARGUMENTS\n`);
	made.allow(["Bash"]);
	const terminal = made.terminal("--permission-mode", "default");
	await terminal.shows("not measured yet");
	const say = async (text: string, ...played: Reply[]): Promise<void> => {
		const mark = `turn ${Math.random().toString(36).slice(2)}`;
		made.queue.splice(0, made.queue.length, ...played, says(9_000, mark));
		const isError = played.some(({ error }) => error);
		terminal.type(text);
		// the menu of commands
		await Bun.sleep(700);
		await terminal.say("", isError ? "tape is full" : mark);
		// the hooks of the end of the turn
		await Bun.sleep(700);
	};
	await say(SAID, does(9_000, bash(`${CCG} recall rotor`), bash("echo built")));
	await say("/review only src please", { error: { status: 400, message: "the tape is full" } });
	await say("/plain");
	await say("/ccg:restore manual", does(9_000, bash(`${CCG} checkpoint restore manual`)));
	await say(`! ${CCG} show latest --as report`);
	const asked = made.main().length;
	for (const words of ["/ccg", "/ccg:report", "/ccg recall parser", "ccg report"]) {
		terminal.type(words);
		await Bun.sleep(700);
		await terminal.say("", `Original prompt: ${words}`);
		// (what is no slash command stays in the input)
		terminal.press("C-u");
	}
	expect(terminal.screen()).toContain("No compaction was reported here yet");
	expect(made.main().length).toBe(asked);
	terminal.send("/compact");
	await terminal.shows(/Compacted/);
	await say("go on");
	const own = /ccg:restore|ccg:report|show latest|checkpoint restore|API Error|tape is full/;
	const [summary] = made.summaries();
	const steering = summary!.last.slice(summary!.last.indexOf("Keep word for word, as quotations:"));
	expect(steering).toMatch(/^[^\n]*\n"\/plain"\n/);
	expect(steering).not.toMatch(own);
	const { all } = made.last();
	const block = all.slice(all.lastIndexOf("ccg recovery precompact_"));
	const told = block.slice(0, block.indexOf("Most of what happened"));
	expect(told.split("## Where it stood")[0]).toContain("> /plain");
	expect(told).toContain(SAID);
	expect(told).toContain("/review only src please");
	expect(told).toContain("echo built");
	expect(told).not.toMatch(own);
	expect(told).not.toContain("recall rotor");
	expect(made.ccg("recall", "restore", "manual", "report", "rotor")).not.toMatch(own);
	expect(logged(made)).toBe("");
});
