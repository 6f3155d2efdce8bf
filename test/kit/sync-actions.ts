import fc from "fast-check";
import type { Role } from "../../src/sync/members.ts";
import type { Delivery } from "./sync-ways.ts";

/** Machines, the root first. */
export const MACHINES = 4;
const DAY = 24 * 60 * 60_000;
export const PROJECTS = ["a", "b"].map((letter) => letter.repeat(32));

export type Action =
	/** Changes a note: `mask` says which of the values that stand there it replaces. */
	| { do: "change"; who: number; note: number; how: "text" | "delete" | "settle"; mask: number }
	/** Pulls and pushes; is killed at a step of it, or in a transaction. */
	| { do: "sync"; who: number; killAt: number; inWrite: boolean }
	/** A part of what one machine's folder holds comes to another's. Where all have the same one: these two exchange at once, or it dies. */
	| ({ do: "deliver" } & Delivery)
	/** What a machine wrote comes to another, which takes it in. */
	| { do: "tell"; from: number; to: number }
	/** One makes a snapshot, another confirms it, the first takes it; each is killed at a step. */
	| { do: "snapshot"; from: number; to: number; killAt: number }
	/** Puts a document of its own, or takes it away. */
	| { do: "document"; who: number; isThere: boolean }
	| { do: "clock"; who: number; offset: number }
	| { do: "grant"; by: number; who: number; role: Role };

const who = fc.nat(MACHINES - 1);
const ACTION: fc.Arbitrary<Action> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc.record({
			do: fc.constant("change" as const),
			who,
			note: fc.nat(2),
			how: fc.constantFrom("text" as const, "text" as const, "delete" as const, "settle" as const),
			mask: fc.constantFrom(-1, -1, -1, 1, 2, 0),
		}),
	},
	{
		weight: 8,
		arbitrary: fc.record({
			do: fc.constant("sync" as const),
			who,
			killAt: fc.oneof(fc.constant(-1), fc.nat(30), fc.nat(100)),
			inWrite: fc.boolean(),
		}),
	},
	{
		weight: 8,
		arbitrary: fc.record({
			...{ do: fc.constant("deliver" as const), from: who, to: who, writer: who },
			...{ part: fc.nat(4), back: fc.boolean(), late: fc.boolean() },
		}),
	},
	{ weight: 8, arbitrary: fc.record({ do: fc.constant("tell" as const), from: who, to: who }) },
	{
		weight: 4,
		arbitrary: fc.record({
			...{ do: fc.constant("snapshot" as const), from: fc.nat(1), to: who },
			killAt: fc.oneof({ weight: 4, arbitrary: fc.constant(-1) }, fc.nat(60)),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("document" as const), who, isThere: fc.boolean() }) },
	{
		weight: 1,
		arbitrary: fc.record({ do: fc.constant("clock" as const), who, offset: fc.integer({ min: -DAY, max: DAY }) }),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			...{ do: fc.constant("grant" as const), by: fc.nat(1), who },
			role: fc.constantFrom<Role>("none", "writer", "reader", "owner"),
		}),
	},
);

export const historyOf = (maxLength: number) =>
	fc.record({ actions: fc.array(ACTION, { minLength: Math.ceil(maxLength / 4), maxLength }), isSealed: fc.boolean() });
export type History = ReturnType<typeof historyOf> extends fc.Arbitrary<infer T> ? T : never;
