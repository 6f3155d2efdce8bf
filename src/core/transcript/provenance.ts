/**
 * Who a transcript's line says spoke, by what Claude Code signs. Newer versions sign what a person typed; older ones sign nothing, and
 * there only the shape of a line tells. What is not known, a field or a field's value, says nothing: each release writes more. Fields and
 * values: 2.0.30 to 2.1.332, by what each wrote and by the newest one's source (`test/core/transcript/speaker.test.ts`).
 */
import { isSince, newerThan, TESTED, type Version } from "../text/version.ts";
import type { Json } from "./quiet-json.ts";

/**
 * `person`: signed as a person's. `unsigned`: its shape tells. `act`: nothing signs it, on a version that signs every prompt, so it can
 * only be the record of something done (a shell line, an interruption). `other`: signed as somebody else's. `unclear`: nothing signs it,
 * and the version was not tried.
 */
export type Speaker = "person" | "unsigned" | "act" | "other" | "unclear";

/** What else tells whether a person typed a message, where its line does not. */
export interface Witness {
	/** Whether queued messages are signed where they reach the model, so that the queue's own records need not tell who spoke. */
	signsQueuedMessages(): boolean;
	/** Whether Claude Code gave this text to UserPromptSubmit. It does so with the machine's prompts too: those are signed. */
	sawPrompt(text: string): boolean;
}

/** From here on every prompt is signed (seen on 2.1.266, 2.1.270 and 2.1.329): a line without a signature is no prompt. */
const SIGNED_SINCE: Version = [2, 1, 266];
/** From here on a refused call is marked beside its result. */
const REFUSALS_MARKED_SINCE: Version = [2, 1, 205];

/** The words of a text, parted by white space. */
const wordSet = (list: string): Set<string> => new Set(list.split(/\s+/));

/** `sdk` is the prompt of a headless run, `hostsOwnTurn` its own in the middle of a turn. */
const OF_PERSONS = wordSet(`promptSource=typed promptSource=queued promptSource=suggestion_accepted promptSource=sdk
	typedByPerson=true hostsOwnTurn=true origin=human`);
/**
 * Stands on lines that no person typed, also where they are otherwise signed: a witness does not outweigh it. By its name, or its name
 * and value where that counts.
 */
const OF_OTHERS =
	wordSet(`origin=other origin.from origin.name origin.server origin.sessionId origin.subkind origin.teamName
	isMeta isSidechain isVirtual isCompactSummary isVisibleInTranscriptOnly isSynthetic agentId agentName teamName
	answeredPost artifactCommentTurn clientComposed client_composed dispatchEcho emailSenderTurn ephemeral foreignWord
	fromAnotherSession fromConnector handedOff hearthRelayMessageIds hearthRelayRows hearthRelayThreadTs hostInitiator
	inboundOrigin invokedSkill localCommandOutput mcpMeta mcpSkill mcpSkillEntries modelOnlyText modelScheduledOrigin
	noPersonArrived pluginPrompt pollEventDeclared pollEventDelivery pollEventProvenance pollEventRows projectsUserTurn
	promptRewritten publishClickPath queueSkipAttachments queueSkipSlashCommands queueTranscriptOnly repeatsCompactSummary
	replacesSpan scheduledFireId scheduledTaskId sendMessageToolAbsent sourceToolAssistantUUID sourceToolUseID
	stackedExpansion summarizeMetadata taskDelivery textNotTyped toolUseResult turnCompanion usageLimitNote
	verifiedSlackHumanTurn wakeupSource
	rowSource=harness rowSource=recorded rowSource=hook promptSource=system turnOrigin=scheduled turnOrigin=task_notification
	turnOrigin=auto_continuation turnOrigin=peer turnOrigin=host_synthetic turnOrigin=system commandMode=poll-event
	commandMode=task-notification commandMode=orphaned-permission`);
/** A command's line is signed by nothing else in a headless run. By itself it signs nothing: it stands on what a shell line printed too. */
const OF_TURNS = wordSet("turnOrigin=human turnOrigin=sdk");

/** Who spoke a `user` line. `attachment`: a message from the queue, given in the middle of a turn; it is signed instead of the line. */
export function speakerOf(line: Json, attachment?: Json): Speaker {
	const signatures = [...Object.entries(line), ...Object.entries(attachment ?? {})].flatMap(signaturesOf);
	const hasAnySignature = (list: Set<string>): boolean => signatures.some((signature) => list.has(signature));
	if (hasAnySignature(OF_OTHERS)) return "other";
	if (hasAnySignature(OF_PERSONS)) return "person";
	const { content } = Object(line.message) as Json;
	const isSlashCommand = typeof content === "string" && content.startsWith("<command-message>");
	if (!isSince(line.version, SIGNED_SINCE) || (isSlashCommand && hasAnySignature(OF_TURNS))) return "unsigned";
	if (newerThan(line.version, TESTED)) return "unclear";
	return attachment ? "other" : "act";
}

/** The signatures in a field: its name and `name=value`; for an origin its kind (`human` or `other`) and what else it holds. */
function signaturesOf([key, value]: [string, unknown]): string[] {
	if (!value && value !== 0) return [];
	const { kind, ...more } = Object(value) as Json;
	if (/^(?:origin|queueOrigin)$/.test(key))
		return [
			...(typeof kind === "string" ? [`origin=${kind === "human" ? kind : "other"}`] : []),
			...Object.keys(more).flatMap((name) => (more[name] ? [`origin.${name}`] : [])),
		];
	// (a list of one word reads like the word)
	return [key, `${key}=${typeof value === "object" ? "" : value}`];
}

/**
 * What Claude Code wrote beside a tool's result of who decided on the call. A tool, a server or a hook fills the result and its
 * text; it can't set these.
 */
export interface Ruling {
	/** Why a call was refused: `user-rejected`, `permission-rule`, `interrupted`, …; `""` when it was not. */
	denial: string;
	/** Who allowed or refused it: `user_temporary`, `user_permanent`, `user_reject`, `config`, `hook`, …; `""` where it is not told. */
	by: string;
	/** What the user said when refusing; `null` where it is not told apart from the result's text. */
	words: string | null;
}

/**
 * Who decided on a call, for a result that may tell a decision: a failed one, an answer, a plan's approval; none where the line's
 * version writes none. `granted`: how long a person allowed the call for in Claude Code's permission prompt.
 */
export function rulingOf(line: Json, result: { failed: boolean; text: string }): { ruling?: Ruling; granted?: string } {
	const { toolDenialKind: denial, permissionDecision: decision, userFeedback: words, toolUseResult } = line;
	if (denial === undefined && decision === undefined && !isSince(line.version, REFUSALS_MARKED_SINCE)) return {};
	const { source, decision: verdict, reasonType, grantScope } = Object(decision) as Json;
	const by = stringOrEmpty(source);
	// a rule that a person once made is no answer to this call
	const isGranted = verdict === "accept" && isPersonsDecision(by) && reasonType !== "rule";
	const isQuestionAnswer = Object(toolUseResult).answers !== undefined;
	const mayDecide = result.failed || isQuestionAnswer || /^User has approved/.test(result.text);
	return {
		...(mayDecide && {
			ruling: { denial: stringOrEmpty(denial), by, words: typeof words === "string" ? words : null },
		}),
		...(isGranted && { granted: stringOrEmpty(grantScope) || "once" }),
	};
}

/** Whether a person decided, at Claude Code's prompt or in a program that shows it. `by`: who decided, as Claude Code writes it. */
export const isPersonsDecision = (by: string): boolean => by === "user_temporary" || by === "user_permanent";

/** The value where it is a string, else `""`. */
const stringOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");
