import { writeFileSync } from "node:fs";
import { Transcript } from "../../kit/events.ts";
import { ccg, hook, type Ran, type Sandbox, sandbox } from "../../kit/sandbox.ts";
import { textsBelow } from "../kit.ts";
import type { SecretCase } from "./cases.ts";

/** Everywhere that a text can come into a session. */
export const PLACES = [
	"prompt",
	"agent",
	"tool input",
	"tool result",
	"failed result",
	"file name",
	"tool name",
	"model name",
	"commit",
	"task",
	"plan",
	"answer",
	"summary",
	"note",
	"instructions",
] as const;
export type SecretPlace = (typeof PLACES)[number];

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

function write(place: SecretPlace, cases: readonly SecretCase[], at: Sandbox): void {
	const session = new Transcript(at.project).typed("Please go on with the work on the service.").usage(150_000);
	for (const [i, { text, secrets }] of cases.entries()) {
		if (place === "prompt") session.typed(text);
		else if (place === "agent") session.said(`I looked at it. ${text}`);
		else if (place === "tool input") {
			session.call("Bash", { command: text }, "ok");
			session.call("Write", { file_path: `${at.project}/f${i}.txt`, content: text }, "ok");
		} else if (place === "tool result") session.call("Bash", { command: `cat f${i}` }, text);
		else if (place === "failed result") session.call("Bash", { command: `cat f${i}` }, text, { failed: true });
		else if (place === "file name")
			session.call("Read", { file_path: `${at.project}/${oneLine(secrets[0]!).slice(0, 200)}.txt` }, "ok");
		else if (place === "tool name") session.call(`mcp__${oneLine(text).slice(0, 200)}`, { path: "x" }, "ok");
		else if (place === "model name") session.usage(150_000).lines.push(withModel(session.lines.pop()!, oneLine(text)));
		else if (place === "commit")
			session.call(
				"Bash",
				{ command: `git commit -m '${oneLine(text)}'` },
				`[main ${(0xabc0000 + i).toString(16)}] ${oneLine(text)}`,
			);
		else if (place === "task") {
			session.call("TodoWrite", { todos: [{ content: text, status: "in_progress", activeForm: "x" }] }, "ok");
			session.call("TaskCreate", { subject: oneLine(text), description: text }, `Task #${i} created`);
		} else if (place === "plan")
			session.call("ExitPlanMode", { plan: `# Plan\n\n${text}` }, "User has approved your plan.");
		else if (place === "answer") session.answered("What shall be used?", oneLine(text));
	}
	session.said("That is where it stands.").usage(160_000);
	writeFileSync(at.transcript, session.text());
}

function withModel(line: string, model: string): string {
	const read = JSON.parse(line);
	return JSON.stringify({
		...read,
		message: { ...read.message, model, id: `msg_${model.length}_${model.slice(0, 8)}` },
	});
}

/** Writes the cases into one place of a session, runs every hook on it, and gives what was kept or printed as it was. */
export async function leaksIn(
	place: SecretPlace,
	cases: readonly SecretCase[],
	env: Record<string, string> = {},
): Promise<SecretCase[]> {
	const at = sandbox("redact");
	write(place, cases, at);
	const outs: Ran[] = [];
	const told = cases.map(({ text }) => text).join("\n\n");
	const run = async (name: string, fields: object): Promise<void> =>
		void outs.push(await hook(at, name, fields, { env }));
	await run("post-tool-batch", { hook_event_name: "PostToolUse" });
	await run("stop", { hook_event_name: "Stop" });
	await run("pre-compact", {
		hook_event_name: "PreCompact",
		trigger: "manual",
		custom_instructions: place === "instructions" ? told : "keep the plan",
	});
	await run("session-start", { hook_event_name: "SessionStart", source: "compact" });
	await run("post-compact", {
		hook_event_name: "PostCompact",
		trigger: "manual",
		compact_summary: place === "summary" ? `The work so far.\n\n${told}` : "The work so far.",
	});
	await run("user-prompt-submit", { hook_event_name: "UserPromptSubmit", prompt: "go on" });
	await run("session-end", { hook_event_name: "SessionEnd", reason: "clear" });
	if (place === "note")
		for (const { text } of cases) outs.push(await ccg(at, ["memory", "save", "-"], { env, input: text }));
	const kept = [
		...textsBelow(at.store),
		...textsBelow(at.project),
		...outs.map(({ out, err }) => ({ path: "", text: out + err })),
	].map(({ text }) => text);
	return cases.filter(({ secrets }) => secrets.some((secret) => isIn(secret, kept)));
}

/** As it is, as JSON has it, and of several lines each by itself. */
function isIn(secret: string, texts: readonly string[]): boolean {
	const parts = secret.split(/\n|\\n/).filter((part) => part.length >= 4);
	const forms = parts.flatMap((part) => [part, JSON.stringify(part).slice(1, -1)]);
	// (four digits may stand in any moment's time)
	const holds = (text: string, form: string): boolean =>
		/^\d+$/.test(form) ? new RegExp(`(?<!\\d)${form}(?!\\d)`).test(text) : text.includes(form);
	return texts.some((text) => forms.some((form) => holds(text, form)));
}
