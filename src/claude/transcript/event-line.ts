import { decode } from "../../core/transcript/decode.ts";
import type { EventLine } from "../../core/transcript/event.ts";
import type { Witness } from "../../core/transcript/provenance.ts";
import { parseLine } from "./parse-line.ts";

const UUID = /^[\w-]{1,64}$/;

/** The events of a line that begins at byte `pos`; `null` where it tells none. Throws on foreign shapes inside a known line. */
export function eventLine(line: Buffer, pos: number, witness?: Witness): EventLine | null {
	const entry = parseLine(line);
	const events = decode(entry, witness);
	if (events.length === 0) return null;
	const { uuid } = entry as { uuid?: unknown };
	return { pos, uuid: typeof uuid === "string" && UUID.test(uuid) ? uuid : "", events };
}
