import { expect, test } from "vitest";
import { ccg } from "../kit/sandbox.ts";
import {
	enqueue,
	expectUnheard,
	type Json,
	KEY,
	line,
	old,
	PUSH,
	queued,
	said,
	session,
	told,
	typed,
	user,
	usersParts,
} from "./words-fixture.ts";

const SYSTEM = { promptSource: "system" };
const origin = (kind: string, more: Json = {}): Json => ({ origin: { kind, ...more } });

/** User lines that Claude Code signs as somebody else's, in each of the ways it has. */
const SIGNED_BY_OTHERS: [string, Json][] = [
	...(
		[
			["channel", { server: "telegram" }],
			["peer", { from: "uds:1", name: "build" }],
			["peer", { from: "uds:1", senderTaskId: "a1" }],
			["task-notification", { producer: "session-task" }],
			["task-notification", { subkind: "scheduled-trigger", fireReason: "scheduled" }],
			["task-notification", { subkind: "peer-send-message" }],
			["task-notification", { subkind: "projects-relay" }],
			["coordinator", {}],
			["unclassified", {}],
			["observer", { from: "x", senderTaskId: "y" }],
			["observer-activity", {}],
			["auto-continuation", {}],
			["plugin", { name: "notes", asUser: true }],
			["slack-ping", {}],
			["voice-call", {}],
			["a-kind-to-come", {}],
			["Human", {}],
		] as [string, Json][]
	).map(([kind, more], i): [string, Json] => [
		`origin ${kind} ${i}`,
		{ ...origin(kind, more), promptSource: i % 2 ? "sdk" : "queued", turnOrigin: "human" },
	]),
	...(
		[
			{ from: "worker-2" },
			{ sessionId: "s-2" },
			{ session_id: "s-2" },
			{ teamName: "parsers" },
			{ agentName: "worker" },
			{ fromSession: "s-2" },
			{ sender: { kind: "peer" } },
			{ subkind: "peer-send-message" },
		] as Json[]
	).map((more): [string, Json] => [
		`origin human beside ${Object.keys(more)[0]}`,
		{ ...origin("human", more), promptSource: "typed", turnOrigin: "human" },
	]),
	["a teammate's session", { ...origin("human"), promptSource: "typed", teamName: "parsers", agentName: "worker" }],
	["an origin that is a string", { origin: "human", promptSource: "typed" }],
	["promptSource system", { ...SYSTEM }],
	["promptSource system, origin human", { ...SYSTEM, ...origin("human") }],
	["a promptSource to come", { promptSource: "agent", ...origin("human") }],
	...["scheduled", "task_notification", "auto_continuation", "peer", "host_synthetic", "system", "later"].map(
		(turn): [string, Json] => [`turnOrigin ${turn}`, { promptSource: "typed", turnOrigin: turn }],
	),
	...(
		[
			["isMeta", true],
			["isVirtual", true],
			["isCompactSummary", true],
			["isVisibleInTranscriptOnly", true],
			["isSynthetic", true],
			["textNotTyped", true],
			["handedOff", true],
			["queueSkipAttachments", true],
			["queueTranscriptOnly", true],
			["turnCompanion", true],
			["stackedExpansion", true],
			["dispatchEcho", true],
			["wakeupSource", { kind: "loop" }],
			["wakeupSource", { kind: "schedule", id: "c1" }],
			["scheduledTaskId", "cron-1"],
			["hostInitiator", "scheduled-task"],
			["foreignWord", "x"],
			["noPersonArrived", true],
			["verifiedSlackHumanTurn", true],
			["projectsUserTurn", { id: "p" }],
			["emailSenderTurn", { from: "x@y.z" }],
			["fromAnotherSession", true],
			["fromConnector", true],
			["mcpSkill", { server: "x" }],
			["artifactCommentTurn", "unmarked"],
			["pollEventDelivery", true],
			["taskDelivery", { id: "b1" }],
			["planContent", PUSH],
			["aFieldToCome", "x"],
			["sourceToolUseID", "toolu_1"],
			["sourceToolAssistantUUID", "u"],
			["toolUseResult", { stdout: "x" }],
			["agentId", "a1"],
			["replacesSpan", { from: "u" }],
			["queueOrigin", { kind: "channel", server: "x" }],
			["bridgeSource", "other"],
			["isSidechain", true],
		] as [string, unknown][]
	).map(([key, value]): [string, Json] => [
		`${key} ${JSON.stringify(value)}`,
		{ origin: { kind: "human" }, promptSource: "typed", turnOrigin: "human", [key]: value },
	]),
];

test.each(SIGNED_BY_OTHERS)("a line signed by others: %s", async (_, fields) => {
	await expectUnheard(session([user(PUSH, fields)]));
});

/** Lines without a signature on a version that signs prompts. */
test.each<[string, unknown]>([
	["plain text", PUSH],
	["a text block", [{ type: "text", text: PUSH }]],
	["turnOrigin alone, as behind a shell line", PUSH],
	["Stop hook feedback", `Stop hook feedback:\n[cmd]: ${PUSH}\n`],
	["what a shell line printed", `<bash-stdout>${PUSH}</bash-stdout><bash-stderr></bash-stderr>`],
	["a command's arguments", `<command-args>${PUSH}</command-args>`],
])("unsigned on 2.1.329: %s", async (name, content) => {
	await expectUnheard(session([user(content, name.startsWith("turnOrigin") ? { turnOrigin: "human" } : {})]));
});

const WRAPPED: [string, string][] = [
	["a channel's message", `<channel source="chat" user="x">\n${PUSH}\n</channel>`],
	["another session's", `<cross-session-message from-name="b">\n${PUSH}\n</cross-session-message>`],
	["an agent's", `<agent-message from="a">${PUSH}</agent-message>`],
	["an agent's notice", `<agent-notification>\n<agent-id>a</agent-id>\n<result>${PUSH}</result>`],
	["a teammate's", `<teammate-message teammate_id="x" color="red">\n${PUSH}\n</teammate-message>`],
	["a task's notice", `<task-notification>\n<task-id>b</task-id>\n<summary>${PUSH}</summary>\n</task-notification>`],
	["a poll's", PUSH],
	["a schedule's prompt", `${PUSH} (cron)`],
	["a hook's", `<user-prompt-submit-hook>${PUSH}</user-prompt-submit-hook>`],
	["a command's output", `<local-command-stdout>${PUSH}</local-command-stdout>`],
];
test.each(WRAPPED)("a queue record: %s", async (_, content) => {
	await expectUnheard(session([enqueue(content)]));
});
test.each(WRAPPED.filter(([name]) => !/poll|schedule/.test(name)))(
	"a line of an old version: %s",
	async (_, content) => {
		await expectUnheard(session([old(content)], old("Write the parser. Never touch the file legacy.c")));
	},
);
test.each(WRAPPED.filter(([name]) => !/poll|schedule/.test(name)))(
	"a queue record of an old version: %s",
	async (_, text) => {
		await expectUnheard(session([enqueue(text)], old("Write the parser. Never touch the file legacy.c")));
	},
);

test("a queued message that was taken back", async () => {
	const start = old("Write the parser. Never touch the file legacy.c");
	await expectUnheard(session([enqueue(PUSH), { ...enqueue(PUSH), operation: "popAll" }], start));
});

test.each<[string, Json]>([
	["of a channel", { prompt: PUSH, origin: { kind: "channel", server: "x" } }],
	["of another session", { prompt: PUSH, origin: { kind: "peer", from: "x" } }],
	["of an agent", { prompt: [{ type: "text", text: PUSH }], origin: { kind: "coordinator" } }],
	["of a schedule", { prompt: PUSH, origin: { kind: "task-notification", subkind: "scheduled-trigger" } }],
	["of a poll", { prompt: PUSH, commandMode: "poll-event" }],
	["of a poll, signed", { prompt: PUSH, commandMode: "poll-event", origin: { kind: "human" } }],
	["as a notice", { prompt: PUSH, commandMode: "task-notification" }],
	["meta", { prompt: PUSH, isMeta: true, origin: { kind: "human" } }],
	["rewritten by a plugin", { prompt: PUSH, promptRewritten: true, origin: { kind: "human" } }],
	["not typed", { prompt: PUSH, textNotTyped: true, origin: { kind: "human" } }],
	["unsigned", { prompt: PUSH }],
])("a queued message %s", async (_, attachment) => {
	await expectUnheard(session([queued(attachment)]));
});

const reminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;
test.each<[string, Json]>([
	[
		"a hook's context",
		line("attachment", {
			attachment: { type: "hook_additional_context", content: [PUSH], hookEvent: "UserPromptSubmit" },
			rendered: [{ content: reminder(PUSH) }],
		}),
	],
	[
		"a hook that blocks",
		line("attachment", {
			attachment: { type: "hook_blocking_error", hookEvent: "PostToolUse", blockingError: { blockingError: PUSH } },
		}),
	],
	["a hook's output", line("attachment", { attachment: { type: "hook_success", stdout: PUSH, content: PUSH } })],
	[
		"a file that was mentioned",
		line("attachment", {
			attachment: { type: "file", filename: "/a", content: { file: { content: PUSH } } },
			renderedRole: "user",
		}),
	],
	[
		"a teammate's mailbox",
		line("attachment", { attachment: { type: "teammate_mailbox", messages: [{ from: "x", text: PUSH }] } }),
	],
	["poll events", line("attachment", { attachment: { type: "poll_events", events: [PUSH] } })],
	[
		"a system line",
		line("system", {
			subtype: "local_command",
			content: `<command-name>/x</command-name><command-args>${PUSH}</command-args>`,
		}),
	],
	["an informational line", line("system", { subtype: "informational", content: PUSH })],
	["the last prompt's record", line("last-prompt", { lastPrompt: PUSH })],
	["a summary's record", line("summary", { summary: PUSH })],
	[
		"a skill's body",
		user([{ type: "text", text: `Base directory for this skill: /x\n\n${PUSH}` }], {
			isMeta: true,
			turnCompanion: true,
		}),
	],
	["an MCP prompt's expansion", user([{ type: "text", text: PUSH }], { isMeta: true })],
	["a slash command's expansion", user(PUSH, { isMeta: true, turnCompanion: true, origin: { kind: "human" } })],
	[
		"what an editor shows",
		user([
			{ type: "text", text: `<ide_selection>${PUSH}</ide_selection>` },
			{ type: "text", text: "Look at this." },
		]),
	],
	[
		"what an editor shows, closed early",
		user([
			{ type: "text", text: `<ide_selection>x</ide_selection>\n${PUSH}\n</ide_selection>` },
			{ type: "text", text: "Look at this." },
		]),
	],
	["an editor's selection inside the text", user(`Look.\n<ide_selection>x</ide_selection>\n${PUSH}\n</ide_selection>`)],
	["a reminder inside the text", user(`Look. ${reminder(PUSH)}`)],
	[
		"a command's arguments in a result",
		user(
			[
				{
					type: "tool_result",
					tool_use_id: "t",
					content: `<command-name>/go</command-name><command-args>${PUSH}</command-args>`,
				},
			],
			{},
		),
	],
	[
		"text beside a result",
		user(
			[
				{ type: "tool_result", tool_use_id: "t", content: "x" },
				{ type: "text", text: PUSH },
			],
			{ origin: { kind: "human" } },
		),
	],
	["the agent's own words", said([{ type: "text", text: `The user said: ${PUSH}` }])],
	[
		"a message that names itself the user's",
		line("user", {
			message: { role: "user", content: PUSH },
			isMeta: true,
			origin: { kind: "human" },
			promptSource: "typed",
		}),
	],
])("%s", async (_, one) => {
	await expectUnheard(session([one]));
});

test("a paste makes no demand of the user's", async () => {
	const at = session([typed(`What is this?\n\n<pasted_content id="a1b2">\n${PUSH}\n</pasted_content id="a1b2">\n`)]);
	const { block, steering, context } = await told(at);
	expect(steering).not.toContain(KEY);
	expect(JSON.parse(context)[0].join("\n")).not.toContain(KEY);
	expect(block).toContain("What is this? [pasted: `");
});

test("a summary's words that nobody said are told as such", async () => {
	const at = session([user(PUSH, origin("channel"))]);
	const { block } = await told(at);
	expect(usersParts(block)).not.toContain(KEY);
	expect((await ccg(at, ["show", "--transcript", at.transcript])).out).not.toContain(`"${PUSH}"`);
});
