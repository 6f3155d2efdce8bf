import type { TranscriptEvent } from "./event.ts";
import { usageTokens } from "./usage-tokens.ts";

type Json = Record<string, unknown>;

/**
 * Turns one parsed transcript line into events. Subagent lines, meta lines, summaries and everything unknown give none;
 * a line of any shape is survived. Shapes: contract §6.2, seen on 2.0.76 to 2.1.329.
 */
export function decode(line: unknown): TranscriptEvent[] {
	if (!isObject(line) || line.isSidechain === true) return [];
	const at = typeof line.timestamp === "string" ? line.timestamp : "";
	switch (line.type) {
		case "user":
			return [...place(line), ...userEvents(line, at)];
		case "assistant":
			return assistantEvents(line, at);
		case "system":
			return line.subtype === "compact_boundary" ? [boundary(line, at)] : [];
		case "attachment":
			return attachmentEvents(line.attachment, at);
		case "queue-operation":
			return line.operation === "enqueue" ? message(line.content, at, "queued") : [];
		default:
			return [];
	}
}

function place(line: Json): TranscriptEvent[] {
	if (typeof line.cwd !== "string") return [];
	return [{ kind: "place", cwd: line.cwd, branch: str(line.gitBranch), version: str(line.version) }];
}

function userEvents(line: Json, at: string): TranscriptEvent[] {
	if (line.isCompactSummary === true) return [];
	const content = isObject(line.message) ? line.message.content : undefined;
	const events: TranscriptEvent[] = [];
	const texts: string[] = typeof content === "string" ? [content] : [];
	for (const block of Array.isArray(content) ? content : []) {
		if (!isObject(block)) continue;
		if (block.type === "text") texts.push(str(block.text));
		if (block.type !== "tool_result" || typeof block.tool_use_id !== "string") continue;
		events.push({
			kind: "result",
			at,
			id: block.tool_use_id,
			failed: block.is_error === true,
			text: plainText(block.content),
			detail: line.toolUseResult,
			...grantOf(line.permissionDecision),
		});
	}
	// text beside a tool result is Claude Code's own, not typed
	const text = texts.join("\n");
	if (line.isMeta === true || events.length > 0)
		return text.trimStart().startsWith("<task-notification>") ? [...events, ...ended(text, at)] : events;
	return message(text, at, "typed");
}

/** What a person said in Claude Code's permission prompt (seen on 2.1.329; what rules and modes allow has another source). */
function grantOf(decision: unknown): { granted?: string } {
	if (!isObject(decision) || decision.decision !== "accept" || !str(decision.source).startsWith("user")) return {};
	return { granted: str(decision.grantScope) || "once" };
}

const MACHINE =
	/^(?:<(?:bash-|command-|local-command-|task-notification|teammate-message|[a-z-]+-hook>|new-diagnostics|tick>|system-reminder|user-memory-input|ide_|persisted-)|\[Request interrupted|Caveat:|This session is being continued from a previous)/;
/** Commands that Claude Code carries out itself: nothing the model was asked for. */
const HOST_COMMAND =
	/^\/(?:add-dir|agents|autocompact|clear|color|compact|config|context|cost|effort|exit|export|fast|fork|hooks|login|logout|mcp|memory|model|output-style|permissions|plugin|rename|resume|rewind|sandbox|status|statusline|theme|usage|vim)$/;

/** A message of the user, or nothing when the text is the machine's. A slash command keeps its arguments. */
function message(content: unknown, at: string, source: "typed" | "queued"): TranscriptEvent[] {
	if (typeof content !== "string") return [];
	const text = withoutReminders(content).trim();
	if (text.startsWith("<task-notification>")) return ended(text, at);
	if (text.startsWith("[Request interrupted by user")) return [{ kind: "interrupted", at }];
	const command = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1]?.trim();
	if (command) {
		const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1]?.trim();
		return args && !HOST_COMMAND.test(command)
			? [{ kind: "message", at, text: `${command} ${args}`, source: "command" }]
			: [];
	}
	const bash = /^<bash-input>([\s\S]*?)<\/bash-input>/.exec(text)?.[1];
	if (bash) return [{ kind: "message", at, text: `! ${bash.trim()}`, source: "command" }];
	if (!text || MACHINE.test(text)) return [];
	return [{ kind: "message", at, text, source }];
}

/** Up to the last closing tag only: an opening one without its end would be looked for to the end of the text, each time. */
function withoutReminders(text: string): string {
	const end = text.lastIndexOf("</system-reminder>");
	if (end < 0) return text;
	const from = end + "</system-reminder>".length;
	return text.slice(0, from).replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "") + text.slice(from);
}

/** A background task reports its end through a message of the machine's. */
function ended(text: string, at: string): TranscriptEvent[] {
	const id = /<task-id>([^<]*)<\/task-id>/.exec(text)?.[1]?.trim();
	const status = /<status>([^<]*)<\/status>/.exec(text)?.[1]?.trim() ?? "";
	return id && status !== "running" ? [{ kind: "ended", at, id, status }] : [];
}

function assistantEvents(line: Json, at: string): TranscriptEvent[] {
	if (!isObject(line.message)) return [];
	const { content, usage, model, id } = line.message;
	const events: TranscriptEvent[] = [];
	const tokens = usageTokens(usage);
	if (tokens !== null && typeof model === "string" && model !== "<synthetic>")
		events.push({ kind: "usage", messageId: str(id), model, tokens, ...counts(usage) });
	for (const block of Array.isArray(content) ? content : []) {
		if (!isObject(block)) continue;
		if (block.type === "text" && typeof block.text === "string" && block.text.trim())
			events.push({ kind: "said", at, text: block.text });
		if (block.type === "tool_use" && typeof block.id === "string" && typeof block.name === "string")
			events.push({
				kind: "call",
				at,
				id: block.id,
				tool: block.name,
				input: isObject(block.input) ? block.input : {},
			});
	}
	return events;
}

function counts(usage: unknown) {
	const told = usage as Json;
	const count = (name: string): number => {
		const value = told[name];
		return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
	};
	return {
		input: count("input_tokens"),
		output: count("output_tokens"),
		cacheCreation: count("cache_creation_input_tokens"),
		cacheRead: count("cache_read_input_tokens"),
	};
}

function attachmentEvents(attachment: unknown, at: string): TranscriptEvent[] {
	if (!isObject(attachment) || attachment.type !== "queued_command" || attachment.isMeta === true) return [];
	return message(plainText(attachment.prompt), at, "queued");
}

function boundary(line: Json, at: string): TranscriptEvent {
	const meta = isObject(line.compactMetadata) ? line.compactMetadata : {};
	return {
		kind: "boundary",
		at,
		uuid: str(line.uuid),
		trigger: str(meta.trigger),
		preTokens: typeof meta.preTokens === "number" ? meta.preTokens : null,
		postTokens: typeof meta.postTokens === "number" ? meta.postTokens : null,
	};
}

/** The text of a string or of the text blocks of a content list. */
export function plainText(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content.map((block) => (isObject(block) && block.type === "text" ? str(block.text) : "")).join("\n");
}

export function isObject(value: unknown): value is Json {
	return value !== null && typeof value === "object" && !Array.isArray(value);
}

const str = (value: unknown): string => (typeof value === "string" ? value : "");
