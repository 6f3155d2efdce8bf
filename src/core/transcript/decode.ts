import { foreign } from "../text/quoted.ts";
import { titleOf } from "../text/text.ts";
import type { Teller, TranscriptEvent } from "./event.ts";
import { rulingOf, type Speaker, speakerOf, type Witness } from "./provenance.ts";
import type { Json } from "./quiet-json.ts";
import { between, interruptionOf, isHostText, joinTexts, ownWords } from "./spoken.ts";

/**
 * Turns one parsed transcript line into events, a subagent's into one. Meta lines, summaries and everything unknown give none;
 * a line of any shape is survived. Of what claims to be said only a person's words become a message (`speakerOf`).
 * Shapes as seen on 2.0.30 to 2.1.332.
 */
export function decode(line: unknown, witness: Witness = NO_WITNESS): TranscriptEvent[] {
	if (!isObject(line)) return [];
	if (line.isSidechain === true) {
		const events = decode({ ...line, isSidechain: false }, witness);
		return events.length > 0 ? [{ kind: "aside", agent: str(line.agentId), events }] : [];
	}
	const read = Object.hasOwn(RECORDS, str(line.type)) ? RECORDS[str(line.type)] : undefined;
	return read?.(line, str(line.timestamp), witness) ?? [];
}

const NO_WITNESS: Witness = { signsQueue: () => false, heard: () => false };

/** What each type of line tells. */
const RECORDS: Record<string, (line: Json, at: string, witness: Witness) => TranscriptEvent[]> = {
	user(line, at, witness) {
		const { cwd, gitBranch, version } = line;
		const said = userEvents(line, at, witness);
		if (typeof cwd !== "string") return said;
		return [{ kind: "place", cwd, branch: str(gitBranch), version: str(version) }, ...said];
	},
	assistant: assistantEvents,
	system(line, at) {
		if (line.subtype === "compact_boundary") return [boundary(line, at)];
		return line.subtype === "local_command" ? machineEvents(str(line.content), at) : [];
	},
	attachment: attachmentEvents,
	/**
	 * The queue's own: `enqueue` when something is put in, `popAll` when the user takes it back to edit it. `dequeue` and `remove`
	 * are the ways to the model (2.0.30 to 2.1.118, by its source and by what agents answered).
	 */
	"queue-operation"({ content, operation }, at, witness) {
		const speaker = witness.signsQueue() ? "other" : "unsigned";
		const text = textOfContent(content);
		if (operation === "enqueue")
			return message(text, at, "queued", speaker)
				.filter(({ kind }) => kind !== "told")
				.map((event) => (event.kind === "message" && event.source === "queued" ? { ...event, waits: true } : event));
		return operation === "popAll" && speaker !== "other" && text ? [{ kind: "taken back", at, text }] : [];
	},
};

/** Gives the events of a `user` line: results of calls, and what was said. */
function userEvents(line: Json, at: string, witness: Witness): TranscriptEvent[] {
	const { planContent: plan, ...rest } = line;
	const { content } = Object(line.message) as Json;
	const results = blocksOf(content).flatMap(({ type, tool_use_id: id, is_error: error, content: told }) => {
		if (type !== "tool_result" || typeof id !== "string") return [];
		const result = { failed: error === true, text: textOfContent(told) };
		return [{ kind: "result" as const, at, id, ...result, detail: line.toolUseResult, ...rulingOf(line, result) }];
	});
	// beside a result stands what the user said when he allowed the call (2.1.19 to 2.1.332); the fields of the result say nothing of it
	const { toolUseResult: _, sourceToolAssistantUUID: __, ...own } = rest;
	const isBeside = results.length > 0 && speakerOf(own) !== "other";
	const speaker = isBeside ? "unsigned" : speakerOf(rest);
	if (typeof plan === "string" && speaker !== "other" && speaker !== "unclear")
		return [{ kind: "message", at, text: planMessage(plan), source: "command", plan }];
	const said = spokenEvents(joinTexts(textsOf(content), speaker === "person"), at, "typed", speaker, witness);
	// a summary is made of what stands before it
	const whose = said.filter(({ kind }) => line.isCompactSummary !== true || kind !== "told");
	return [...results, ...whose];
}

/** What Claude Code says for the user who accepted a plan with an empty context; the plan's words are the agent's. */
function planMessage(plan: string): string {
	return `Implement the following plan: [the agent's, which the user accepted: ${foreign(titleOf(plan).slice(0, 200))}]`;
}

/** What a line says. Where it does not tell who spoke, a message counts by its witness. */
function spokenEvents(content: string, at: string, source: "typed" | "queued", speaker: Speaker, witness: Witness) {
	if (speaker !== "act" && speaker !== "unclear") return message(content, at, source, speaker);
	return message(content, at, source, "unsigned").flatMap((event): TranscriptEvent[] => {
		if (event.kind !== "message" || witness.heard(event.text)) return [event];
		if (speaker === "unclear") return [{ kind: "unclear", at, text: event.text }];
		return event.source === "command" && event.text.startsWith("! ") ? [event] : [];
	});
}

/** The texts that a message holds; of a picture, that it stood there. */
const textsOf = (content: unknown): string[] =>
	typeof content === "string"
		? [content]
		: blocksOf(content).flatMap(({ type, text }) => {
				if (type === "text") return [str(text)];
				return type === "image" || type === "document" ? [`[${type}]`] : [];
			});

const blocksOf = (content: unknown): Json[] => (Array.isArray(content) ? content.filter(isObject) : []);

/** Commands that Claude Code carries out itself: nothing the model was asked for. */
const HOST_COMMANDS = new Set(
	`add-dir agents autocompact bashes bug checkpoint clear color compact config context continue copy cost
	doctor effort exit export extra-usage fast feedback fork help hooks ide install-github-app keybindings
	login logout mcp memory mobile model new output-style permissions plugin privacy-settings quit
	rate-limit-options release-notes reload-plugins remote-env rename reset resume rewind sandbox settings skills stats status
	statusline stickers tasks terminal-setup theme todos upgrade usage vim`.split(/\s+/),
);
const isHostCommand = (command: string): boolean => command.startsWith("/") && HOST_COMMANDS.has(command.slice(1));

/** A message of the user, or nothing when the text is anybody else's. A slash command keeps its arguments. */
function message(content: string, at: string, source: "typed" | "queued", speaker: Speaker): TranscriptEvent[] {
	const said = (text: string, from: "typed" | "queued" | "command"): TranscriptEvent[] =>
		text ? [{ kind: "message", at, text, source: from }] : [];
	const start = content.trimStart();
	if (speaker !== "person" && start.startsWith("<task-notification>"))
		return [...endEvents(start, at), ...machineEvents(start, at)];
	if (speaker === "other") return machineEvents(start, at);
	const shell = start.startsWith(SHELL[0]) && between(start, ...SHELL)?.trim();
	const text = ownWords(content);
	const stopped = interruptionOf(text);
	const behind = text.slice(stopped.length).trim();
	if (stopped && (!behind || speaker !== "person")) return behind ? message(behind, at, source, speaker) : [];
	if (shell) return said(`! ${shell}`, "command");
	// what the client carries out itself begins with its name, a prompt to the model with what is shown of it (2.0.30 to 2.1.332)
	if (text.startsWith("<command-name>")) return [];
	if (text.startsWith("<command-message>")) {
		const command = between(text, "<command-name>", "</command-name>")?.trim();
		const args = between(text, "<command-args>", "</command-args>")?.trim();
		return command ? said([command, args].filter(Boolean).join(" "), "command") : [];
	}
	// typed while the agent works it waits in the queue as it was typed
	if (isHostCommand(text.split(/\s/, 1)[0]!)) return [];
	return isHostText(text, speaker === "person") ? machineEvents(text, at) : said(text, source);
}

/** How what others put into the conversation begins; what is not listed is the host's. */
const TELLERS: [Teller, RegExp][] = [
	["output", /^<(?:local-command-std|bash-std)(?:out|err)>/],
	["notification", /^<task-notification>/],
	["teammate", /^<(?:teammate-message|agent-message|cross-session-message|channel)[ >]|^Another Claude session sent/],
	["hook", /^<[a-z-]+-hook>|^(?:[A-Z]\w{2,30}(?::[\w-]{1,80})? )?hook (?:feedback|success|blocking error|error)\b/],
];

/** What no person typed: it is told as whose it is. Of a command of Claude Code's own what it printed tells. */
function machineEvents(content: string, at: string): TranscriptEvent[] {
	const text = content.trim();
	if (!text || /^(?:<(?:local-command-caveat|command-)|This session is being continued from)/.test(text)) return [];
	return [{ kind: "told", at, by: TELLERS.find(([, begin]) => begin.test(text))?.[0] ?? "host", text }];
}

const SHELL = ["<bash-input>", "</bash-input>"] as const;

/** A background task reports its end through a message of the machine's. */
function endEvents(text: string, at: string): TranscriptEvent[] {
	const id = between(text, "<task-id>", "</task-id>")?.trim();
	const status = between(text, "<status>", "</status>")?.trim() ?? "";
	return id && status !== "running" ? [{ kind: "ended", at, id, status }] : [];
}

/** Gives the events of an `assistant` line: tokens used, texts, calls. */
function assistantEvents(line: Json, at: string): TranscriptEvent[] {
	const { content, usage, model, id: messageId } = Object(line.message) as Json;
	const events: TranscriptEvent[] = [];
	const used = usageOf(usage);
	// what the client says in the model's place: an error, a limit
	if (model === "<synthetic>" || line.isApiErrorMessage === true) return [];
	if (used && typeof model === "string") events.push({ kind: "usage", messageId: str(messageId), model, ...used });
	for (const { type, text, id, name, input } of blocksOf(content)) {
		if (type === "text" && typeof text === "string" && text.trim()) events.push({ kind: "said", at, text });
		if (type === "tool_use" && typeof id === "string" && typeof name === "string")
			events.push({ kind: "call", at, id, tool: name, input: isObject(input) ? input : {} });
	}
	return events;
}

/**
 * What a response used; `tokens` is the context size: input + cache creation + cache read (output is not counted). `null` when the
 * usage is missing or says nothing, as right after a start or a compaction.
 */
export function usageOf(usage: unknown) {
	const told = Object(usage) as Json;
	const count = (name: string): number => {
		const value = told[name];
		return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
	};
	const input = count("input_tokens");
	const cacheCreation = count("cache_creation_input_tokens");
	const cacheRead = count("cache_read_input_tokens");
	const tokens = input + cacheCreation + cacheRead;
	return tokens > 0 ? { tokens, input, output: count("output_tokens"), cacheCreation, cacheRead } : null;
}

/** Gives the events of an attachment: what a hook told, or a message that was queued. */
function attachmentEvents(line: Json, at: string, witness: Witness): TranscriptEvent[] {
	const { attachment } = line;
	if (!isObject(attachment)) return [];
	const { type, prompt, commandMode, content } = attachment;
	// what ccg injects repeats the conversation
	if (type === "hook_additional_context" || type === "hook_blocking_error") {
		const text = joinTexts([content ?? Object(attachment.blockingError).blockingError].flat().map(str)).trim();
		return text && !/^ccg[ :]/.test(text) ? [{ kind: "told", at, by: "hook", text }] : [];
	}
	if (type !== "queued_command") return [];
	const text = joinTexts(textsOf(prompt));
	const whole = commandMode === "bash" ? SHELL.join(text) : text;
	return spokenEvents(whole, at, "queued", speakerOf(line, attachment), witness);
}

/** Gives the event of a compaction's boundary, with the lines that it kept. */
function boundary(line: Json, at: string): TranscriptEvent {
	const { trigger, preTokens, preservedSegment, preservedMessages } = Object(line.compactMetadata) as Json;
	const { headUuid, tailUuid } = Object(preservedSegment) as Json;
	const { uuids } = Object(preservedMessages) as Json;
	const isListed = Array.isArray(uuids) && uuids.length > 0;
	const ids = (isListed ? uuids : [headUuid, tailUuid]).map(str);
	return {
		kind: "boundary",
		at,
		uuid: str(line.uuid),
		trigger: str(trigger),
		preTokens: typeof preTokens === "number" ? preTokens : null,
		...(ids.every(Boolean) && { kept: { ids, isRange: !isListed } }),
	};
}

/** The text of a string or of the text blocks of a content list. */
export function textOfContent(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content.map((block) => (isObject(block) && block.type === "text" ? str(block.text) : "")).join("\n");
}

export function isObject(value: unknown): value is Json {
	return value !== null && typeof value === "object" && !Array.isArray(value);
}

const str = (value: unknown): string => (typeof value === "string" ? value : "");
