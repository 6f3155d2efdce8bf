import { inBackticks } from "../text/quoted.ts";
import { titleOf } from "../text/text.ts";
import type { Teller, TranscriptEvent } from "./event.ts";
import { rulingOf, type Speaker, speakerOf, type Witness } from "./provenance.ts";
import type { Json } from "./quiet-json.ts";
import { interruptionNotice, isHostText, joinTexts, textBetween, typedWords } from "./spoken.ts";

/**
 * The events of one parsed transcript line; those of a subagent's line in one `aside`. Unknown lines of any shape give none. Only what a
 * person said becomes a message (`speakerOf`). `witness` tells of prompts what the line does not. Shapes as seen on 2.0.30 to 2.1.332.
 */
export function decodeLine(line: unknown, witness: Witness = NO_WITNESS): TranscriptEvent[] {
	if (!isObject(line)) return [];
	if (line.isSidechain === true) {
		const events = decodeLine({ ...line, isSidechain: false }, witness);
		return events.length > 0 ? [{ kind: "aside", agent: textOrEmpty(line.agentId), events }] : [];
	}
	const type = textOrEmpty(line.type);
	const decodeThis = Object.hasOwn(LINE_DECODERS, type) ? LINE_DECODERS[type] : undefined;
	return decodeThis?.(line, textOrEmpty(line.timestamp), witness) ?? [];
}

const NO_WITNESS: Witness = { signsQueuedMessages: () => false, sawPrompt: () => false };

/** What each type of line tells. */
const LINE_DECODERS: Record<string, (line: Json, at: string, witness: Witness) => TranscriptEvent[]> = {
	user(line, at, witness) {
		const { cwd, gitBranch, version } = line;
		const said = userEvents(line, at, witness);
		if (typeof cwd !== "string") return said;
		return [{ kind: "place", cwd, branch: textOrEmpty(gitBranch), version: textOrEmpty(version) }, ...said];
	},
	assistant: assistantEvents,
	system(line, at) {
		if (line.subtype === "compact_boundary") return [boundaryEvent(line, at)];
		return line.subtype === "local_command" ? machineEvents(textOrEmpty(line.content), at) : [];
	},
	attachment: attachmentEvents,
	/**
	 * The queue's own: `enqueue` when something is put in, `popAll` when the user takes it back to edit it. `dequeue` and `remove`
	 * are the ways to the model (2.0.30 to 2.1.118, by its source and by what agents answered).
	 */
	"queue-operation"({ content, operation }, at, witness) {
		const speaker = witness.signsQueuedMessages() ? "other" : "unsigned";
		const text = textOfContent(content);
		if (operation === "enqueue")
			return messageEvents(text, at, "queued", speaker)
				.filter(({ kind }) => kind !== "told")
				.map((event) => (event.kind === "message" && event.source === "queued" ? { ...event, waits: true } : event));
		return operation === "popAll" && speaker !== "other" && text ? [{ kind: "taken back", at, text }] : [];
	},
};

/** The events of a `user` line: results of calls, and what was said. */
function userEvents(line: Json, at: string, witness: Witness): TranscriptEvent[] {
	const { planContent: plan, ...rest } = line;
	const { content } = Object(line.message) as Json;
	const results = contentBlocks(content).flatMap(({ type, tool_use_id: id, is_error: error, content: output }) => {
		if (type !== "tool_result" || typeof id !== "string") return [];
		const result = { failed: error === true, text: textOfContent(output) };
		return [{ kind: "result" as const, at, id, ...result, detail: line.toolUseResult, ...rulingOf(line, result) }];
	});
	const texts = messageTexts(content);
	if (texts.length === 0 && plan === undefined) return results;
	// beside a result may stand what the user said when allowing the call (2.1.19 to 2.1.332): the result's own fields don't sign it
	const { toolUseResult: _, sourceToolAssistantUUID: __, ...besideResult } = rest;
	const isBesideResult = results.length > 0 && speakerOf(besideResult) !== "other";
	const speaker = isBesideResult ? "unsigned" : speakerOf(rest);
	if (typeof plan === "string" && speaker !== "other" && speaker !== "unclear")
		return [{ kind: "message", at, text: planMessage(plan), source: "command", plan }];
	const said = spokenEvents(joinTexts(texts, speaker === "person"), at, "typed", speaker, witness);
	// a summary only repeats what was told before
	return [...results, ...said.filter(({ kind }) => line.isCompactSummary !== true || kind !== "told")];
}

/** The user's message when he accepts a plan and empties the context: Claude Code writes it, with the plan's title for its text. */
function planMessage(plan: string): string {
	return `Implement the following plan: [the agent's, which the user accepted: ${inBackticks(titleOf(plan).slice(0, 200))}]`;
}

/** The events of a text that may be the user's. In an unsigned line it is a message only if the witness saw it as a prompt. */
function spokenEvents(content: string, at: string, source: "typed" | "queued", speaker: Speaker, witness: Witness) {
	if (speaker !== "act" && speaker !== "unclear") return messageEvents(content, at, source, speaker);
	return messageEvents(content, at, source, "unsigned").flatMap((event): TranscriptEvent[] => {
		if (event.kind !== "message" || witness.sawPrompt(event.text)) return [event];
		if (speaker === "unclear") return [{ kind: "unclear", at, text: event.text }];
		const isShellLine = event.source === "command" && event.text.startsWith("! ");
		return isShellLine ? [event] : [];
	});
}

/** The texts of a message; a picture or document as `[image]` or `[document]`. */
const messageTexts = (content: unknown): string[] =>
	typeof content === "string"
		? [content]
		: contentBlocks(content).flatMap(({ type, text }) => {
				if (type === "text") return [textOrEmpty(text)];
				return type === "image" || type === "document" ? [`[${type}]`] : [];
			});

/** The blocks of a message's content. */
const contentBlocks = (content: unknown): Json[] => (Array.isArray(content) ? content.filter(isObject) : []);

/** Commands that Claude Code carries out itself: nothing the model was asked for. */
const HOST_COMMANDS = new Set(
	`add-dir agents autocompact bashes bug checkpoint clear color compact config context continue copy cost
	doctor effort exit export extra-usage fast feedback fork help hooks ide install-github-app keybindings
	login logout mcp memory mobile model new output-style permissions plugin privacy-settings quit
	rate-limit-options release-notes reload-plugins remote-env rename reset resume rewind sandbox settings skills stats status
	statusline stickers tasks terminal-setup theme todos upgrade usage vim`.split(/\s+/),
);
/** Whether a slash command is one that Claude Code carries out itself. */
const isHostCommand = (command: string): boolean => command.startsWith("/") && HOST_COMMANDS.has(command.slice(1));

/** The user's message in a text, as events; else what the machine told in it. A shell line becomes `! …`. */
function messageEvents(content: string, at: string, source: "typed" | "queued", speaker: Speaker): TranscriptEvent[] {
	const userMessage = (text: string, from: "typed" | "queued" | "command"): TranscriptEvent[] =>
		text ? [{ kind: "message", at, text, source: from }] : [];
	const trimmed = content.trimStart();
	if (speaker !== "person" && trimmed.startsWith("<task-notification>"))
		return [...taskEndEvents(trimmed, at), ...machineEvents(trimmed, at)];
	if (speaker === "other") return machineEvents(trimmed, at);
	const shell = trimmed.startsWith(SHELL_TAGS[0]) && textBetween(trimmed, ...SHELL_TAGS)?.trim();
	const text = typedWords(content);
	const interruption = interruptionNotice(text);
	const rest = text.slice(interruption.length).trim();
	if (interruption && (!rest || speaker !== "person")) return rest ? messageEvents(rest, at, source, speaker) : [];
	if (shell) return userMessage(`! ${shell}`, "command");
	// a command that Claude Code carries out itself begins with its name, one for the model with its message (2.0.30 to 2.1.332)
	if (text.startsWith("<command-name>")) return [];
	if (text.startsWith("<command-message>")) {
		const command = textBetween(text, "<command-name>", "</command-name>")?.trim();
		const args = textBetween(text, "<command-args>", "</command-args>")?.trim();
		return command ? userMessage([command, args].filter(Boolean).join(" "), "command") : [];
	}
	// in the queue a command stands as it was typed
	if (isHostCommand(text.split(/\s/, 1)[0]!)) return [];
	return isHostText(text, speaker === "person") ? machineEvents(text, at) : userMessage(text, source);
}

/** How what others put into the conversation begins; what is not listed is the host's. */
const TELLER_PATTERNS: [Teller, RegExp][] = [
	["output", /^<(?:local-command-std|bash-std)(?:out|err)>/],
	["notification", /^<task-notification>/],
	["teammate", /^<(?:teammate-message|agent-message|cross-session-message|channel)[ >]|^Another Claude session sent/],
	["hook", /^<[a-z-]+-hook>|^(?:[A-Z]\w{2,30}(?::[\w-]{1,80})? )?hook (?:feedback|success|blocking error|error)\b/],
];

/** The event of a text that no person typed, with who told it (`Teller`); of a command of Claude Code's own only its output. */
function machineEvents(content: string, at: string): TranscriptEvent[] {
	const text = content.trim();
	if (!text || /^(?:<(?:local-command-caveat|command-)|This session is being continued from)/.test(text)) return [];
	return [{ kind: "told", at, by: TELLER_PATTERNS.find(([, begin]) => begin.test(text))?.[0] ?? "host", text }];
}

const SHELL_TAGS = ["<bash-input>", "</bash-input>"] as const;

/** The end of a background task, which the machine reports in a message. */
function taskEndEvents(text: string, at: string): TranscriptEvent[] {
	const id = textBetween(text, "<task-id>", "</task-id>")?.trim();
	const status = textBetween(text, "<status>", "</status>")?.trim() ?? "";
	return id && status !== "running" ? [{ kind: "ended", at, id, status }] : [];
}

/** The events of an `assistant` line: tokens used, texts, calls. */
function assistantEvents(line: Json, at: string): TranscriptEvent[] {
	const { content, usage, model, id: messageId } = Object(line.message) as Json;
	const events: TranscriptEvent[] = [];
	const used = usageOf(usage);
	// Claude Code speaks in the model's place: of an error, a limit
	if (model === "<synthetic>" || line.isApiErrorMessage === true) return [];
	if (used && typeof model === "string")
		events.push({ kind: "usage", messageId: textOrEmpty(messageId), model, ...used });
	for (const { type, text, id, name, input } of contentBlocks(content)) {
		if (type === "text" && typeof text === "string" && text.trim()) events.push({ kind: "said", at, text });
		if (type === "tool_use" && typeof id === "string" && typeof name === "string")
			events.push({ kind: "call", at, id, tool: name, input: isObject(input) ? input : {} });
	}
	return events;
}

/**
 * The tokens of a response; `tokens` is the context's size: input and both caches, without output. `null` where the usage is missing or
 * zero, as right after a start or a compaction.
 */
export function usageOf(usage: unknown) {
	const fields = Object(usage) as Json;
	const count = (name: string): number => {
		const value = fields[name];
		return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
	};
	const input = count("input_tokens");
	const cacheCreation = count("cache_creation_input_tokens");
	const cacheRead = count("cache_read_input_tokens");
	const tokens = input + cacheCreation + cacheRead;
	return tokens > 0 ? { tokens, input, output: count("output_tokens"), cacheCreation, cacheRead } : null;
}

/** The events of an attachment: what a hook told, or a message from the queue. */
function attachmentEvents(line: Json, at: string, witness: Witness): TranscriptEvent[] {
	const { attachment } = line;
	if (!isObject(attachment)) return [];
	const { type, prompt, commandMode, content } = attachment;
	if (type === "hook_additional_context" || type === "hook_blocking_error") {
		// (2.1.332 writes what several hooks told into one list)
		const texts = [content ?? Object(attachment.blockingError).blockingError].flat().map(textOrEmpty);
		return texts.flatMap((raw) => (raw.trim() ? hookEvent(raw.trim(), at) : []));
	}
	if (type !== "queued_command") return [];
	const text = joinTexts(messageTexts(prompt));
	const whole = commandMode === "bash" ? SHELL_TAGS.join(text) : text;
	return spokenEvents(whole, at, "queued", speakerOf(line, attachment), witness);
}

const hookEvent = (text: string, at: string): TranscriptEvent =>
	["ccg ", "ccg:"].includes(text.slice(0, 4)) ? { kind: "own", at, text } : { kind: "told", at, by: "hook", text };

/** The event of a compaction's boundary, with the ids of the lines that it kept word for word. */
function boundaryEvent(line: Json, at: string): TranscriptEvent {
	const { trigger, preTokens, postTokens, durationMs, preservedSegment, preservedMessages } = Object(
		line.compactMetadata,
	) as Json;
	const { headUuid, tailUuid } = Object(preservedSegment) as Json;
	const { uuids } = Object(preservedMessages) as Json;
	const isListed = Array.isArray(uuids) && uuids.length > 0;
	const ids = (isListed ? uuids : [headUuid, tailUuid]).map(textOrEmpty);
	return {
		kind: "boundary",
		at,
		uuid: textOrEmpty(line.uuid),
		trigger: textOrEmpty(trigger),
		preTokens: typeof preTokens === "number" ? preTokens : null,
		...(typeof postTokens === "number" && { postTokens }),
		...(typeof durationMs === "number" && { durationMs }),
		...(ids.every(Boolean) && { kept: { ids, isRange: !isListed } }),
	};
}

/** The text of a string or of the text blocks of a content list. */
export function textOfContent(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content.map((block) => (isObject(block) && block.type === "text" ? textOrEmpty(block.text) : "")).join("\n");
}

export function isObject(value: unknown): value is Json {
	return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** The value where it is a text, else `""`. */
const textOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");
