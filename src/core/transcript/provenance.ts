/**
 * Who a transcript's line says spoke: an allow-list of what Claude Code signs. Newer versions sign what a person typed; older
 * ones sign nothing, and there only the shape of a line tells. A line with a field that no version tried writes beside a
 * person's words is unclear, until a witness tells (`Witness`). Fields and values: 2.0.30 to 2.1.330, by what each wrote and
 * by the newest one's source (`test/core/transcript/speaker.test.ts`).
 */
import { isSince, type Version } from "../text/version.ts";
import type { Json } from "./quiet-json.ts";

/**
 * `person`: signed as a person's. `unsigned`: nothing is said of the speaker. `act`: neither, on a version that signs every
 * prompt, so it can only be the record of something done (a shell line, an interruption). `other`: signed as somebody else's.
 * `unclear`: what of the line is not known.
 */
export type Speaker = "person" | "unsigned" | "act" | "other" | { unclear: string };

/** What tells of a message when its line does not. */
export interface Witness {
	/** Queued messages are signed where they are given, so the queue's own records say nothing of who spoke. */
	signsQueue(): boolean;
	/** Claude Code handed this very text to UserPromptSubmit. It does so with the machine's prompts too: those are signed. */
	heard(text: string): boolean;
}

/** From here on every prompt is signed (seen on 2.1.266, 2.1.270 and 2.1.329): a line without a signature is no prompt. */
const SIGNED_SINCE: Version = [2, 1, 266];
/** The first version that was not tried: what it leaves out may stand elsewhere. */
export const NOT_TRIED: Version = [2, 1, 331];
/** From here on a refused call is marked beside its result. */
const REFUSALS_MARKED_SINCE: Version = [2, 1, 205];

type Said = "person" | "nothing" | "other" | "unknown";

/**
 * What a field of a line says of who spoke, by its name, or its name and value where that counts; what is not listed was never
 * seen. A turn's origin signs nothing by itself: it stands on lines of the machine within it too.
 */
const FIELDS: Record<Exclude<Said, "unknown">, string> = {
	// `sdk` is the prompt of a headless run, `hostsOwnTurn` its own in the middle of a turn
	person: `
	promptSource=typed promptSource=queued promptSource=suggestion_accepted promptSource=sdk typedByPerson=true
	hostsOwnTurn=true`,
	// `bridgeOrigin` is the user's own other device
	nothing: `
	type message uuid parentUuid logicalParentUuid timestamp sessionId session_id cwd gitBranch version userType entrypoint slug
	requestId promptId turnPromptId turnPosition permissionMode thinkingMetadata todos attachment rendered renderedRole
	imagePasteIds imageFileUuids inlinedImagePaths inlinedImageNames fileAttachments savedFiles picturesToHide clientPlatform
	interruptedMessageId interruptedByShutdown interruptedBySendNow refusedMessageId mergedSendUuids storedAnewFor
	carriesOnTurnOf denyLists withdrawnTools traceparent turnAttributionKey queuePriority prompt source_uuid delivery_id
	humanTurn besideToolResults widgetViews widgetViewsMore sentAtMs rowSource=local
	turnOrigin=human turnOrigin=sdk turnOrigin=unknown commandMode=prompt commandMode=bash bridgeOrigin=true`,
	// stands on lines that no person typed, also where they are otherwise signed: a witness does not outweigh it
	other: `
	isMeta isSidechain isVirtual isCompactSummary isVisibleInTranscriptOnly isSynthetic agentId agentName teamName
	answeredPost artifactCommentTurn clientComposed client_composed dispatchEcho emailSenderTurn ephemeral foreignWord
	fromAnotherSession fromConnector handedOff hearthRelayMessageIds hearthRelayRows hearthRelayThreadTs hostInitiator
	inboundOrigin invokedSkill localCommandOutput mcpMeta mcpSkill mcpSkillEntries modelOnlyText modelScheduledOrigin
	noPersonArrived pluginPrompt pollEventDeclared pollEventDelivery pollEventProvenance pollEventRows projectsUserTurn
	promptRewritten publishClickPath queueSkipAttachments queueSkipSlashCommands queueTranscriptOnly repeatsCompactSummary
	replacesSpan scheduledFireId scheduledTaskId sendMessageToolAbsent sourceToolAssistantUUID sourceToolUseID
	stackedExpansion summarizeMetadata taskDelivery textNotTyped toolUseResult turnCompanion usageLimitNote
	verifiedSlackHumanTurn wakeupSource
	rowSource=harness rowSource=recorded rowSource=hook promptSource=system turnOrigin=scheduled turnOrigin=task_notification turnOrigin=auto_continuation turnOrigin=peer
	turnOrigin=host_synthetic turnOrigin=system commandMode=poll-event commandMode=task-notification
	commandMode=orphaned-permission`,
};
/** Made when it is first asked: some hooks read no line. */
let table: Map<string, Said> | undefined;
const says = (): Map<string, Said> =>
	(table ??= new Map(
		Object.entries(FIELDS).flatMap(([said, fields]) =>
			fields
				.trim()
				.split(/\s+/)
				.map((field) => [field.includes("=") ? field : `${field}=`, said as Said]),
		),
	));

/**
 * Who spoke a `user` line, or what waited in the queue and was given in the middle of a turn: there the `attachment` is signed, since
 * the line is not.
 */
export function speakerOf(line: Json, attachment?: Json): Speaker {
	const said = signedBy([...Object.entries(line), ...Object.entries(attachment ?? {})]);
	if (said !== "unsigned" || !isSince(line.version, SIGNED_SINCE)) return said;
	if (isSince(line.version, NOT_TRIED)) return { unclear: "no signature" };
	return attachment ? "other" : "act";
}

function signedBy(fields: [string, unknown][]): Speaker {
	let speaker: Speaker = "unsigned";
	for (const [key, value] of fields) {
		if (!value && typeof value !== "number") continue;
		const said = saysOf(key, value);
		if (said === "other") return "other";
		if (said === "unknown") speaker = { unclear: key };
		if (said === "person" && speaker === "unsigned") speaker = "person";
	}
	return speaker;
}

function saysOf(key: string, value: unknown): Said {
	if (key === "origin" || key === "queueOrigin") return originSays(value);
	// (a list of one word reads like the word)
	const word = typeof value === "object" ? "" : value;
	return says().get(`${key}=`) ?? says().get(`${key}=${word}`) ?? "unknown";
}

/** A person's origin is written with nothing but its kind; any other kind says that it is somebody else's. */
function originSays(value: unknown): Said {
	const { kind, ...more } = Object(value) as Json;
	if (typeof kind === "string" && kind !== "human") return "other";
	return kind === "human" && Object.values(more).every((one) => !one) ? "person" : "unknown";
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
 * The ruling on a result that may be a decision: a failed one, an answer, a plan's approval. Without it where the line's version
 * writes none, and then only shapes tell. `granted`: what a person allowed in Claude Code's permission prompt, and for how long.
 */
export function rulingOf(line: Json, result: { failed: boolean; text: string }): { ruling?: Ruling; granted?: string } {
	const { toolDenialKind: denial, permissionDecision: decision, userFeedback: words, toolUseResult } = line;
	if (denial === undefined && decision === undefined && !isSince(line.version, REFUSALS_MARKED_SINCE)) return {};
	const { source, decision: verdict, reasonType, grantScope } = Object(decision) as Json;
	const by = text(source);
	// a rule that a person once made is no answer to this call
	const isGranted = verdict === "accept" && isPersons(by) && reasonType !== "rule";
	const isAnswer = Object(toolUseResult).answers !== undefined;
	const mayDecide = result.failed || isAnswer || /^User has approved/.test(result.text);
	return {
		...(mayDecide && {
			ruling: { denial: text(denial), by, words: typeof words === "string" ? words : null },
		}),
		...(isGranted && { granted: text(grantScope) || "once" }),
	};
}

/** A person at Claude Code's own prompt, or in a program that shows it. */
export const isPersons = (by: string): boolean => by === "user_temporary" || by === "user_permanent";

const text = (value: unknown): string => (typeof value === "string" ? value : "");
