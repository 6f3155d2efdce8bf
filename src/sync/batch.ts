import { isObject } from "../core/transcript/decode.ts";
import { sha256 } from "../store/gate.ts";
import { parseObject } from "../store/json-file.ts";
import { type Carried, MACHINE, MAX_BATCH, PROJECT } from "./carrier.ts";
import { CLOCK, type Clock } from "./clock.ts";
import { fits, isCount, isText, listOf, optional } from "./form.ts";
import { type Keys, openLine, type PublicKeys, signedLine } from "./keys.ts";

/** One change: it gives a field of an item a value in the place of others. Its id is `machine:batch:index`. */
export interface Operation {
	/** `note:ID`, `task:ID`, `checkpoint:SESSION/KEY`, `member:MACHINE`, … */
	item: string;
	field: string;
	/** `null` says that the item is deleted. Without one it only takes the replaced ones away. */
	value?: unknown;
	/** The ids of the values that stood there for whoever wrote this. What it does not name lives on beside it. */
	replaces?: string[];
}

/** What a machine writes at once, signs, and a carrier keeps. */
export interface Batch {
	v: 1;
	space: string;
	machine: string;
	/** From 1, without a gap. */
	seq: number;
	/** The hash of the same machine's batch before; `""` for the first. What was altered, left out or swapped does not fit. */
	prev: string;
	clock: Clock;
	/** `null`: about the space itself. */
	project: string | null;
	/** Of each other machine the last batch that the writer had. So a tail that was cut off is noticed. */
	seen: Record<string, number>;
	/** Or, sealed with the content key of `epoch`, their JSON. */
	ops: Operation[] | string;
	epoch?: string;
}

export const ITEM = /^[a-z]{1,16}:[\w./-]{1,160}$/;
/** Items of the space itself; every other one is of a project. */
export const IS_OF_SPACE = /^(?:member|epoch):/;
export const FIELD = /^[0-9a-z]{1,32}$/;
export const OPERATION = /^([0-9a-f]{32}):([1-9]\d{0,9}):(\d{1,5})$/;
export const MAX_VALUE = 64 * 1024;
const MOST = 2_000;

export const operationId = ({ machine, seq }: Pick<Batch, "machine" | "seq">, index: number): string =>
	`${machine}:${seq}:${index}`;

/** The machine and the batch of an operation's id. */
export function placeOf(id: string): { machine: string; seq: number } {
	const [, machine = "", seq] = OPERATION.exec(id) ?? [];
	return { machine, seq: Number(seq) };
}

/** The batch as it is carried, signed. Throws where it is larger than a carrier takes. */
export function carriedOf(batch: Batch, keys: Keys): Carried & { hash: string } {
	const bytes = signedLine("batch", JSON.stringify(batch), keys);
	if (bytes.length > MAX_BATCH) throw new Error(`a batch of ${bytes.length} bytes is more than ${MAX_BATCH}`);
	return { seq: batch.seq, project: batch.project, bytes, hash: sha256(bytes) };
}

/** A batch as it came, or in words why it is none, or not the one that is wanted. Who signed it is still to be asked. */
export function readBatch(
	bytes: Uint8Array,
	wanted: Partial<Batch>,
): { batch: Batch; hash: string; isSignedBy(keys: PublicKeys): boolean } | string {
	if (bytes.length > MAX_BATCH) return "it is too large";
	const line = openLine(bytes);
	const value = line && parseObject(line.text, 2);
	if (!line || !value) return "it is damaged";
	if (value.v !== 1) return `it was written by a newer ccg (version ${Number(value.v)}, this one reads 1)`;
	if (Object.entries(wanted).some(([name, one]) => value[name] !== one)) return "it says that it belongs elsewhere";
	if (!isWhole(value)) return "it is not of the form that ccg writes";
	return { batch: value, hash: sha256(bytes), isSignedBy: (keys) => line.isSignedBy("batch", keys) };
}

const FORM = {
	...{ machine: MACHINE, seq: isCount, prev: /^(?:[0-9a-f]{64})?$/, clock: CLOCK, project: optional(PROJECT, null) },
	seen: (value: unknown) =>
		isObject(value) && Object.entries(value).every(([machine, last]) => MACHINE.test(machine) && isCount(last)),
};

function isWhole(value: object): value is Batch {
	const batch = value as Batch;
	return (
		fits(value, FORM) &&
		(batch.seq === 1) === (batch.prev === "") &&
		(batch.epoch === undefined ? areOperations(batch.ops, batch) : isText(batch.epoch) && isText(batch.ops))
	);
}

/** Whether a value is a list of operations that the writer of this batch could write: what it replaces it has seen. */
export function areOperations(ops: unknown, { machine, seq, seen }: Batch): ops is Operation[] {
	const wasSeen = (id: unknown): boolean => {
		const at = placeOf(isText(id) ? id : "");
		return at.seq <= (at.machine === machine ? seq - 1 : (seen[at.machine] ?? 0));
	};
	const form = {
		...{ item: ITEM, field: FIELD, replaces: optional(listOf(wasSeen)) },
		value: (value: unknown) => value === undefined || JSON.stringify(value).length <= MAX_VALUE,
	};
	const isOne = (op: unknown): boolean => fits(op, form) && ((op.replaces ?? []) as string[]).length <= MOST;
	return Array.isArray(ops) && ops.length <= MOST && ops.every(isOne);
}
