import { branchesOf, type TranscriptNode } from "../../core/transcript/active-branch.ts";
import { quietJson } from "../../core/transcript/quiet-json.ts";
import { findLineBackwards, forEachLine, type TranscriptFile } from "./transcript-file.ts";

/** No shorter line holds an id of its own and its parent's. */
const SHORTEST = 64;
/** Nodes kept between two readings: what is new hangs on one of them, or the user went back further. */
const KEPT = 40;

export interface ActiveLines {
	/** Whether a line stands: false on a branch that was left. */
	isActive(line: Buffer): boolean;
	/** The last nodes of the active branch before a byte, for the next reading. */
	lastBefore(pos: number): TranscriptNode[];
	/** The lines that were left. */
	left: ReadonlySet<string>;
	/** The conversation began elsewhere: the file's first line hangs on one that is not in it. */
	beginsInside: boolean;
}

/**
 * Which lines between the bytes `from` and `to` are on the active branch. `given` are the last nodes of an earlier reading that
 * ended at `from`; `null` when the user has gone back behind what was read then, so that it has to be read anew.
 */
export function activeLines(
	file: TranscriptFile,
	from: number,
	to: number,
	given?: readonly TranscriptNode[],
): ActiveLines | null {
	// an earlier reading that met no node tells nothing of where the path goes on
	const known = given?.length ? given : undefined;
	const nodes: TranscriptNode[] = [...(known ?? [])];
	const starts = nodes.map(() => -1);
	forEachLine(
		file,
		from,
		to,
		(line, pos) => {
			const node = nodeOf(line);
			if (!node) return;
			nodes.push(node);
			starts.push(pos);
		},
		SHORTEST,
	);
	const { left, missing } = branchesOf(nodes, known ? () => true : (uuid) => standsBefore(file, uuid, from));
	if (known?.some(({ uuid }) => left.has(uuid))) return null;
	const old = new Set(known?.map(({ uuid }) => uuid));
	// the path of what is new has to come by what is known
	if (known && missing.some(({ child }) => !old.has(child))) return null;
	return {
		isActive: left.size === 0 ? () => true : (line) => !left.has(nodeOf(line)?.uuid ?? ""),
		left,
		beginsInside: from === 0 && missing.some(({ child }) => child === nodes[0]?.uuid),
		lastBefore: (pos) => nodes.filter(({ uuid }, i) => starts[i]! < pos && !left.has(uuid)).slice(-KEPT),
	};
}

const MB = 1024 * 1024;
/** How far back a parent is searched for. */
const REACH = 32 * MB;

function standsBefore(file: TranscriptFile, uuid: string, from: number): boolean {
	return from > 0 && findLineBackwards(file, `"uuid":"${uuid}"`, from, REACH, () => true) !== null;
}

const bytes = (text: string): Buffer => Buffer.from(text);
const PARENT = bytes('"parentUuid":');
const LOGICAL_PARENT = bytes('"logicalParentUuid":');
const UUID = bytes('"uuid":"');
const SIDECHAIN = bytes('"isSidechain":');
const TRUE = bytes("true");
const USER = bytes('"type":"user"');
const ASSISTANT = bytes('"type":"assistant"');
const PROGRESS = bytes('"type":"progress","data":{');
const RESULT = bytes('"type":"tool_result"');
const META = bytes('"isMeta":true');
const SUMMARY = bytes('"isCompactSummary":true');
const MESSAGE_ID = bytes('"id":"');
const MESSAGE = bytes('"message":{');
const QUOTE = 34;
/** The keys before a message: who, where, which version. */
const HEAD = 2_048;
/** A line that would have to be parsed for its ids is passed over beyond this. */
const MAX_PARSED = 2 * MB;

/**
 * A line's place in the tree, found without parsing it: the keys can't stand inside a string, where their quotes would be
 * escaped. Where one stands more than once (a tool's input may have a key of that name) the line is parsed.
 */
export function nodeOf(line: Buffer): TranscriptNode | null {
	const at = line.indexOf(UUID);
	if (at < 0 || isSidechain(line)) return null;
	const head = line.subarray(0, HEAD);
	const isProgress = head.includes(PROGRESS);
	// what progress tells about holds ids of its own, before the line's
	const own = isProgress ? line.lastIndexOf(UUID) : at;
	if (!isProgress && line.indexOf(UUID, at + 1) >= 0 && line.length <= MAX_PARSED) return parsedNode(line);
	const uuid = textAt(line, own + UUID.length);
	if (!uuid) return null;
	const parent = idBehind(line, PARENT) ?? idBehind(line, LOGICAL_PARENT) ?? (line.includes(PARENT) ? null : undefined);
	const kind = isProgress ? "other" : kindOf(line, head);
	const messageId = kind === "answer" ? messageIdOf(line) : null;
	return { uuid, ...(parent !== undefined && { parent }), kind, ...(messageId && { messageId }) };
}

/** Told before the message: what a line holds (an agent's progress, a tool's input) may have a key of that name. */
function isSidechain(line: Buffer): boolean {
	const at = line.indexOf(SIDECHAIN);
	if (at < 0 || line.indexOf(MESSAGE) >>> 0 < at) return false;
	return line.subarray(at + SIDECHAIN.length, at + SIDECHAIN.length + TRUE.length).equals(TRUE);
}

function kindOf(line: Buffer, head: Buffer): TranscriptNode["kind"] {
	// the kind stands before the message; where it does not, all of the line is looked through
	const where = head.includes(USER) || head.includes(ASSISTANT) ? head : line;
	const [user, assistant] = [where.indexOf(USER), where.indexOf(ASSISTANT)];
	// what comes later is in the message: a tool's input may hold the other one
	if (user >= 0 && (assistant < 0 || user < assistant)) {
		if (line.includes(RESULT)) return "result";
		return line.includes(META) || line.includes(SUMMARY) ? "other" : "prompt";
	}
	return assistant >= 0 ? "answer" : "other";
}

/** The string behind a key; `null` for null and where the key is missing. */
function idBehind(line: Buffer, key: Buffer): string | null {
	const at = line.indexOf(key);
	return at >= 0 && line[at + key.length] === QUOTE ? textAt(line, at + key.length + 1) : null;
}

function messageIdOf(line: Buffer): string | null {
	const at = line.indexOf(MESSAGE);
	const id = at < 0 ? -1 : line.indexOf(MESSAGE_ID, at);
	return id < 0 ? null : textAt(line, id + MESSAGE_ID.length);
}

/** An id: short, and without anything escaped. */
function textAt(line: Buffer, from: number): string | null {
	const end = line.indexOf(QUOTE, from);
	return end < 0 || end - from > 200 ? null : line.toString("latin1", from, end) || null;
}

function parsedNode(line: Buffer): TranscriptNode | null {
	const entry = quietJson(line.toString("utf8")) as Record<string, unknown> | undefined;
	if (typeof entry?.uuid !== "string" || entry.isSidechain === true) return null;
	const text = (value: unknown): string | null => (typeof value === "string" && value ? value : null);
	const kind = kindOfEntry(entry);
	const messageId = kind === "answer" ? text((entry.message as { id?: unknown } | undefined)?.id) : null;
	const parent =
		text(entry.parentUuid) ?? text(entry.logicalParentUuid) ?? (entry.parentUuid === undefined ? undefined : null);
	return { uuid: entry.uuid, ...(parent !== undefined && { parent }), kind, ...(messageId && { messageId }) };
}

function kindOfEntry({ type, message, isMeta, isCompactSummary }: Record<string, unknown>): TranscriptNode["kind"] {
	if (type === "assistant") return "answer";
	if (type !== "user") return "other";
	const content = (message as { content?: unknown } | undefined)?.content;
	if (Array.isArray(content) && content.some((block) => block && block.type === "tool_result")) return "result";
	return isMeta === true || isCompactSummary === true ? "other" : "prompt";
}
