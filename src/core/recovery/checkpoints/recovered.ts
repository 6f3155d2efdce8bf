import type { Checkpoint } from "../checkpoint.ts";
import { documentState, memoryName } from "./document-state.ts";

/** How much of a checkpoint a restore brought back. */
export interface Recovered {
	/** Of its memories and its filled parts, those that are there. */
	percent: number;
	memories: { found: number; of: number };
	parts: { found: number; of: number };
	/** What could not be brought back, by name. */
	missing: string[];
	/** The document's checks of a restore that do not hold. */
	warnings: string[];
}

/** Below this the report says what is missing. */
export const ENOUGH = 90;

/** The document's restore validation: a memory that is gone is a warning, and the rest comes back. */
export function recoveredOf(checkpoint: Checkpoint, memories: ReadonlySet<string> | null): Recovered {
	const expected = (checkpoint.memories ?? []).map(memoryName);
	const gone = memories ? expected.filter((name) => !memories.has(name)) : [];
	const parts = partsOf(checkpoint);
	const lost = parts.filter(({ ok }) => !ok).map(({ name }) => name);
	const of = expected.length + parts.length;
	const found = of - gone.length - lost.length;
	return {
		percent: of === 0 ? 0 : Math.floor((found / of) * 100),
		memories: { found: expected.length - gone.length, of: expected.length },
		parts: { found: parts.length - lost.length, of: parts.length },
		missing: [...gone.map((name) => `memory ${name}`), ...lost],
		warnings: warningsOf(checkpoint, expected, gone),
	};
}

/** What the checkpoint holds of each list of the state. A list that says it dropped items holds the others. */
function partsOf({ state, workspace }: Checkpoint): { name: string; ok: boolean }[] {
	const lists = Object.entries(state).filter(([, value]) => Array.isArray(value) && value.length > 0);
	return [
		...lists.map(([name]) => ({ name, ok: true })),
		...(state.plan ? [{ name: "plan", ok: state.plan.text !== "" }] : []),
		...(workspace ? [{ name: "workspace", ok: true }] : []),
	];
}

const CRITICAL = ["spec_analysis", "phase_plan"];

function warningsOf(checkpoint: Checkpoint, expected: readonly string[], gone: readonly string[]): string[] {
	const { fields } = documentState(checkpoint);
	const there = expected.filter((name) => !gone.includes(name));
	const checks: [string, boolean][] = [
		["memories_restored", expected.length === 0 || there.length > 0],
		["critical_memories_found", !expected.some(isCritical) || there.some(isCritical)],
		["project_id_valid", fields.project_id !== null],
		["next_action_defined", fields.next_action !== null],
		["wave_context_available", checkpoint.waves === undefined || checkpoint.waves.length > 0],
	];
	return checks.flatMap(([name, ok]) => (ok ? [] : [name]));
}

const isCritical = (name: string): boolean => CRITICAL.some((one) => name.includes(one));
