/**
 * Who a transcript's line says spoke. Newer versions of Claude Code sign what a person typed; older ones sign nothing, and
 * there only the shape of a line tells. What is signed by anybody else, or in a way not known here, is nobody's word.
 * Fields and values: those Claude Code 2.1.329 writes and reads itself (`test/e2e/words.test.ts`).
 */
import type { Json } from "./json.ts";

/**
 * `person`: signed as a person's. `unsigned`: nothing is said of the speaker. `act`: neither, on a version that signs every
 * prompt, so it can only be the record of something done (a shell line, an interruption). `other`: somebody else's, or not known.
 */
export type Speaker = "person" | "unsigned" | "act" | "other";

type Version = readonly [number, number, number];
/** From here on every prompt is signed (seen on 2.1.266, 2.1.270 and 2.1.329): a line without a signature is no prompt. */
const SIGNED_SINCE: Version = [2, 1, 266];
/** From here on a refused call is marked beside its result. */
export const REFUSALS_MARKED_SINCE: Version = [2, 1, 205];

/** Claude Code writes a person's origin with nothing but its kind; one that names somebody else beside it is not a person's. */
function isHuman(value: unknown): boolean {
	if ((value as Json | null)?.kind !== "human") return false;
	return Object.entries(value as Json).every(([key, one]) => key === "kind" || !one || !NAMES_ANOTHER.test(key));
}
const NAMES_ANOTHER =
	/^(?:from|by|via)|from$|agent|author|channel|forward|inbound|initiator|peer|plugin|producer|relay|sender|server|session|subkind|task|team/i;
const isOneOf =
	(...values: string[]) =>
	(value: unknown): boolean =>
		typeof value === "string" && values.includes(value);

/** What each signature says where a person spoke. `sdk` is the prompt of a headless run. */
const SIGNATURES = new Map<string, (value: unknown) => boolean>([
	["origin", isHuman],
	["queueOrigin", isHuman],
	["promptSource", isOneOf("typed", "queued", "suggestion_accepted", "sdk")],
	["turnOrigin", isOneOf("human", "sdk", "unknown")],
	// the user's own other device
	["bridgeOrigin", (value) => value === true],
]);
/** These sign nothing by themselves: a turn's origin stands on lines of the machine within it too. */
const NO_SIGNATURE = new Set(["turnOrigin", "bridgeOrigin"]);

/** Set on lines that no person typed, also where they are otherwise signed. */
const NOT_TYPED = new Set([
	"agentId",
	// both: the session of a teammate, whom an agent speaks to
	"agentName",
	"answeredPost",
	"clientComposed",
	"client_composed",
	"dispatchEcho",
	"emailSenderTurn",
	"handedOff",
	"mcpMeta",
	"projectsUserTurn",
	"promptRewritten",
	"queueSkipAttachments",
	"queueTranscriptOnly",
	"replacesSpan",
	"sourceToolAssistantUUID",
	"sourceToolUseID",
	"stackedExpansion",
	"teamName",
	"toolUseResult",
	"turnCompanion",
	"usageLimitNote",
	"verifiedSlackHumanTurn",
]);
/** Names that say as much, of versions to come: isMeta, isVirtual, isCompactSummary, textNotTyped, wakeupSource, scheduledTaskId. */
const SAYS_NOT_TYPED =
	/^(?:is|no|not)[A-Z]|(?:Origin|Source|Initiator|Author)$|[nN]otTyped|[sS]ynthetic|[vV]irtual|[rR]elay|[fF]orwarded|[sS]cheduled|[wW]akeup|[iI]njected|[aA]utomat|[fF]oreign/;

/** Who spoke a `user` line. */
export function speakerOf(line: Json): Speaker {
	const said = signedBy(line);
	return said === "unsigned" && isSince(line.version, SIGNED_SINCE) ? "act" : said;
}

/**
 * Who wrote what waited in the queue and was given in the middle of a turn: the attachment's own signature, since the line
 * carries none.
 */
export function queuedSpeaker(line: Json, attachment: Json): Speaker {
	if (signedBy(line) === "other") return "other";
	const said = signedBy(attachment);
	const mode = attachment.commandMode;
	if (said === "other" || (mode !== undefined && mode !== "prompt" && mode !== "bash")) return "other";
	if (said === "person") return said;
	// a headless run's own prompt
	if (attachment.hostsOwnTurn === true) return "person";
	return isSince(line.version, SIGNED_SINCE) ? "other" : "unsigned";
}

function signedBy(fields: Json): Speaker {
	let speaker: Speaker = "unsigned";
	for (const key in fields) {
		const value = fields[key];
		if (value === undefined || value === null || value === false || value === "") continue;
		const isPersons = SIGNATURES.get(key);
		if (isPersons) {
			if (!isPersons(value)) return "other";
			if (!NO_SIGNATURE.has(key)) speaker = "person";
		} else if (NOT_TYPED.has(key) || SAYS_NOT_TYPED.test(key)) return "other";
	}
	return speaker;
}

/** A version as Claude Code writes it that is `since` or later; what is no version is older. */
export function isSince(version: unknown, since: Version): boolean {
	const parts = typeof version === "string" ? /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) : undefined;
	if (!parts) return false;
	for (const [i, least] of since.entries()) if (parts[i] !== least) return parts[i]! > least;
	return true;
}
