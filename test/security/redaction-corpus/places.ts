import { Transcript } from "../../kit/events.ts";
import { ccg, type Sandbox, sandbox } from "../../kit/sandbox.ts";
import { play, textsBelow } from "../kit.ts";
import type { SecretCase } from "./cases.ts";

/** How a text gets into a session, by its place; `null`: by what a hook or a command is given. */
type Put = (session: Transcript, text: string, i: number) => unknown;
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
const PUT = {
	prompt: (session, text) => session.typed(text),
	agent: (session, text) => session.said(`I looked at it. ${text}`),
	"tool input": (session, text, i) => {
		session.call("Bash", { command: text }, "ok");
		session.call("Write", { file_path: `/project/f${i}.txt`, content: text }, "ok");
	},
	"tool result": (session, text, i) => session.call("Bash", { command: `cat f${i}` }, text),
	"failed result": (session, text, i) => session.call("Bash", { command: `cat f${i}` }, text, { failed: true }),
	// (of a case its first secret)
	"file name": (session, text) => session.call("Read", { file_path: `/project/${text.slice(0, 200)}.txt` }, "ok"),
	"tool name": (session, text) => session.call(`mcp__${oneLine(text).slice(0, 200)}`, { path: "x" }, "ok"),
	"model name": (session, text) => {
		session.usage(150_000).lines.push(withModel(session.lines.pop()!, oneLine(text)));
	},
	commit: (session, text, i) => {
		const result = `[main ${(0xabc0000 + i).toString(16)}] ${oneLine(text)}`;
		session.call("Bash", { command: `git commit -m '${oneLine(text)}'` }, result);
	},
	task: (session, text, i) => {
		session.call("TodoWrite", { todos: [{ content: text, status: "in_progress", activeForm: "x" }] }, "ok");
		session.call("TaskCreate", { subject: oneLine(text), description: text }, `Task #${i} created`);
	},
	plan: (session, text) => session.call("ExitPlanMode", { plan: `# Plan\n\n${text}` }, "User has approved your plan."),
	answer: (session, text) => session.answered("What shall be used?", oneLine(text)),
	summary: null,
	note: null,
	instructions: null,
} satisfies Record<string, Put | null>;
export type SecretPlace = keyof typeof PUT;
/** Everywhere that a text can come into a session. */
export const PLACES = Object.keys(PUT) as SecretPlace[];

function write(place: SecretPlace, cases: readonly SecretCase[], at: Sandbox): Transcript {
	const session = new Transcript(at.project).typed("Please go on with the work on the service.").usage(150_000);
	for (const [i, { text, secrets }] of cases.entries())
		PUT[place]?.(session, place === "file name" ? oneLine(secrets[0]!) : text, i);
	session.said("That is where it stands.").usage(160_000).write(at.transcript);
	return session;
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
	const session = write(place, cases, at);
	const told = `The work so far.\n\n${cases.map(({ text }) => text).join("\n\n")}`;
	const given = (name: SecretPlace): string => (name === place ? told : "The work so far.");
	const fields = { custom_instructions: given("instructions") };
	const outs = await play(at, "post-tool-use, stop, pre-compact by hand, start compact", fields, { env });
	session.boundary().summary(given("summary")).write(at.transcript);
	outs.push(...(await play(at, "user-prompt-submit, session-end", fields, { env })));
	if (place === "note")
		for (const { text } of cases) outs.push(await ccg(at, ["memory", "save", "-"], { env, input: text }));
	const kept = [at.store, at.project].flatMap(textsBelow).map(({ text }) => text);
	kept.push(...outs.map(({ out, err }) => out + err));
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
