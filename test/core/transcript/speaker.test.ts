import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TESTED } from "../../../src/core/text/version.ts";
import { decode } from "../../../src/core/transcript/decode.ts";
import type { Witness } from "../../../src/core/transcript/provenance.ts";

type Json = Record<string, unknown>;
type Who = "user" | "unclear" | "nobody";

const SAID = "Always deploy on Fridays.";
const place = { uuid: "u", timestamp: "2026-11-22T10:00:00.000Z", cwd: "/p", sessionId: "s", isSidechain: false };
const line = (fields: Json, content: unknown = SAID): Json => ({
	type: "user",
	message: { role: "user", content },
	...place,
	version: "2.1.332",
	...fields,
});
const HUMAN = { origin: { kind: "human" }, promptSource: "typed", turnOrigin: "human" };
const signed = (more: Json, content?: unknown) => line({ ...HUMAN, ...more }, content);
const old = (more: Json, content?: unknown) => line({ version: "2.1.33", ...more }, content);
const queued = (attachment: Json, more: Json = {}): Json => ({
	type: "attachment",
	attachment: { type: "queued_command", prompt: SAID, commandMode: "prompt", ...attachment },
	...place,
	version: "2.1.332",
	...more,
});

const COMMAND = `<command-message>ship</command-message>\n<command-name>/ship</command-name>\n<command-args>${SAID}</command-args>`;

/** Who a decoded line says spoke. */
function who(one: Json, heard: readonly string[] = []): Who {
	const witness: Witness = { signsQueue: () => true, heard: (text) => heard.includes(text) };
	const events = decode(one, witness);
	if (events.some(({ kind }) => kind === "unclear")) return "unclear";
	return events.some(({ kind }) => kind === "message") ? "user" : "nobody";
}

/** As 2.0.30 to 2.1.332 were seen to write what a person typed; none needs a witness. */
const TYPED: [string, Json][] = [
	["2.0.30", line({ version: "2.0.30", userType: "external", gitBranch: "main" })],
	[
		"2.0.76",
		line({ version: "2.0.76", thinkingMetadata: { level: "high", disabled: false, triggers: [] }, todos: [] }),
	],
	["2.1.39", old({ version: "2.1.39", slug: "a-b", todos: [{}], permissionMode: "plan", imagePasteIds: [1] })],
	["2.1.118", line({ version: "2.1.118", promptId: "p", permissionMode: "default", entrypoint: "cli" })],
	["2.1.250", line({ version: "2.1.250", promptId: "p", origin: { kind: "human" }, promptSource: "typed" })],
	["2.1.330", signed({ promptId: "p", turnPosition: { promptIndex: 1, turnIndex: 1 }, permissionMode: "default" })],
	["no version at all", { type: "user", message: { role: "user", content: SAID } }],
	["text blocks and a picture", signed({ imagePasteIds: [1] }, [{ type: "text", text: SAID }, { type: "image" }])],
	["its turn come", signed({ promptSource: "queued", queuePriority: "next", mergedSendUuids: ["a"] })],
	["a suggestion taken", signed({ promptSource: "suggestion_accepted" })],
	["headless", line({ promptSource: "sdk", turnOrigin: "sdk" })],
	[
		"headless, 2.1.332",
		line({ promptSource: "sdk", turnOrigin: "sdk", rowSource: "local", sentAtMs: 17, promptId: "p" }),
	],
	["a command, headless", line({ turnOrigin: "sdk", rowSource: "local", promptId: "p" }, COMMAND)],
	["on the user's other device", line({ promptSource: "sdk", bridgeOrigin: true, clientPlatform: "ios" })],
	["by a person, says another mark", line({ typedByPerson: true })],
	[
		"a command",
		signed(
			{},
			`<command-message>ship</command-message><command-name>/ship</command-name><command-args>${SAID}</command-args>`,
		),
	],
	["while it worked", queued({ origin: { kind: "human" }, humanTurn: true, source_uuid: "a", delivery_id: "b" })],
	["while it worked, signed by its own mark", queued({ typedByPerson: true })],
	["while it worked, headless", queued({ hostsOwnTurn: true })],
	["a plan was accepted", old({ planContent: "# Plan" }, "Implement the following plan:\n\n# Plan")],
	["a shell line", line({}, "<bash-input>make</bash-input>")],
];
test.each(TYPED)("the user's: %s", (_, one) => expect(who(one)).toBe("user"));

/** Fields that the newest client tried writes on lines of others, also beside a person's signature. */
const OTHERS =
	`isMeta isSidechain isVirtual isCompactSummary isVisibleInTranscriptOnly agentId agentName teamName answeredPost
	artifactCommentTurn emailSenderTurn ephemeral foreignWord fromAnotherSession fromConnector handedOff hostInitiator
	inboundOrigin mcpMeta mcpSkill mcpSkillEntries modelScheduledOrigin noPersonArrived pluginPrompt pollEventDelivery
	pollEventRows projectsUserTurn promptRewritten publishClickPath queueSkipAttachments queueTranscriptOnly replacesSpan
	scheduledFireId scheduledTaskId sourceToolAssistantUUID sourceToolUseID stackedExpansion taskDelivery textNotTyped
	toolUseResult turnCompanion verifiedSlackHumanTurn wakeupSource`.split(/\s+/);
test.each(OTHERS)("nobody's, whatever a witness says: a line with %s", (field) => {
	for (const value of [true, "x", { id: 1 }]) {
		expect(who(signed({ [field]: value }), [SAID])).toBe("nobody");
		expect(who(line({ version: "2.4.0", ...HUMAN, [field]: value, unheardOf: 1 }), [SAID])).toBe("nobody");
		expect(who(queued({ origin: { kind: "human" }, [field]: value }), [SAID])).toBe("nobody");
	}
	expect(who(signed({ [field]: false }))).toBe("user");
});

const SIGNED_BY_OTHERS: [string, Json][] = [
	...["channel", "peer", "task-notification", "coordinator", "plugin", "slack-ping", "a-kind-to-come", "Human"].map(
		(kind): [string, Json] => [`origin ${kind}`, signed({ origin: { kind } })],
	),
	...["from", "name", "server", "sessionId", "subkind", "teamName"].map((name): [string, Json] => [
		`an origin with ${name}`,
		signed({ origin: { kind: "human", [name]: "x" } }),
	]),
	["promptSource system", signed({ promptSource: "system" })],
	...["scheduled", "task_notification", "auto_continuation", "peer", "host_synthetic", "system"].map(
		(turnOrigin): [string, Json] => [`turnOrigin ${turnOrigin}`, signed({ turnOrigin })],
	),
	["a queue's notice", queued({ commandMode: "task-notification" })],
	["a queued poll, signed", queued({ commandMode: "poll-event", origin: { kind: "human" } })],
	["a queued message of a channel", queued({ origin: { kind: "channel", server: "x" } })],
	...["harness", "recorded", "hook"].map((rowSource): [string, Json] => [
		`rowSource ${rowSource}`,
		signed({ rowSource }),
	]),
	["a plan in another's line", signed({ origin: { kind: "peer" }, planContent: "# Plan" })],
	["what the machine writes, by its look", line({ version: "2.9.0" }, "<bash-stdout>ok</bash-stdout>")],
];
test.each(SIGNED_BY_OTHERS)("nobody's, whatever a witness says: %s", (_, one) => {
	expect(who(one, [SAID])).toBe("nobody");
});

/** What is not known takes nothing from what is. */
const UNKNOWN: [string, Json][] = [
	["a field to come", signed({ relayedBy: "x" })],
	["a field to come, newer", line({ version: "2.2.0", ...HUMAN, voice: { seconds: 3 } })],
	["a field to come, where nothing is signed", line({ version: "2.1.39", relayedBy: "x" })],
	["a number, a list, a flag", signed({ spokenAt: 12, heardBy: ["x"], isSpoken: true })],
	["a field to come, headless", line({ version: "2.1.400", promptSource: "sdk", relayedBy: "x" })],
	["a person's origin with more in it", signed({ origin: { kind: "human", device: "phone" } })],
	["an origin that is a string", signed({ origin: "human" })],
	["a promptSource to come", line({ origin: { kind: "human" }, promptSource: "voice" })],
	["a command in a turn of theirs, newer", line({ version: "2.1.400", turnOrigin: "human", relayedBy: "x" }, COMMAND)],
	["a turnOrigin to come", signed({ turnOrigin: "later" })],
	["a rowSource to come", signed({ rowSource: "later" })],
	["a mark with another value", signed({ typedByPerson: "yes" })],
	["a plan with a field to come", old({ planContent: "# Plan", relayedBy: "x" })],
	["a queued message with a field to come", queued({ origin: { kind: "human" }, relayedBy: "x" })],
	["a queued message on a line with one", queued({ origin: { kind: "human" } }, { relayedBy: "x" })],
	["a queued message of a mode to come", queued({ origin: { kind: "human" }, commandMode: "voice" })],
];
test.each(UNKNOWN)("the user's, without a witness: %s", (_, one) => expect(who(one)).toBe("user"));

/** Of a version that was not tried: told as unclear, and as the user's where it was handed over. */
const UNSIGNED: [string, Json][] = [
	["a line", line({ version: "2.1.333" })],
	["a line of a version far on", line({ version: "3.0.0", relayedBy: "x" })],
	["values to come", line({ version: "2.1.400", promptSource: "voice", turnOrigin: "later", rowSource: "later" })],
	["a turn's origin alone", line({ version: "2.1.400", promptSource: "voice", turnOrigin: "human" })],
	["an origin of no kind", line({ version: "2.1.400", origin: "human", typedByPerson: "yes" })],
	["a plan", line({ version: "2.1.400", planContent: "# Plan" })],
	["a queued message", queued({}, { version: "2.5.0" })],
];
test.each(UNSIGNED)("unclear without a witness: %s that nothing signs", (_, one) => {
	expect(who(one)).toBe("unclear");
	expect(who(one, ["something else"])).toBe("unclear");
	expect(who(one, [SAID])).toBe("user");
});

test.each<[string, Json]>([
	["a line", line({})],
	["a turn's origin alone", line({ turnOrigin: "human" })],
	["values to come", line({ promptSource: "voice", turnOrigin: "later" })],
	[
		"a command",
		line(
			{},
			`<command-message>ship</command-message><command-name>/ship</command-name><command-args>${SAID}</command-args>`,
		),
	],
])("without a signature on a version that signs every prompt: %s is nobody's, but for a witness", (_, one) => {
	expect(who(one)).toBe("nobody");
	expect(who(one, [SAID, `/ship ${SAID}`])).toBe("user");
});

test("in a turn of the user's, what the client writes is nobody's", () => {
	for (const text of ["<bash-stdout>ok</bash-stdout>", "<local-command-stdout>Compacted</local-command-stdout>"])
		expect(who(line({ turnOrigin: "human", rowSource: "local" }, text))).toBe("nobody");
});

test("the newest version tried is the one that the tests run", () => {
	const { config } = JSON.parse(readFileSync("package.json", "utf8"));
	expect(TESTED.join(".")).toBe(config.claudeCode);
});
