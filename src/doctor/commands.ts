import { existsSync, rmSync } from "node:fs";
import { isProgram } from "../files/on-path.ts";
import type { Ran } from "../install/run-process.ts";
import { loadConfig } from "../store/config/config.ts";
import { readText } from "../store/json-file.ts";
import { type Env, logPath, sessionPaths } from "../store/paths.ts";
import type { DoctorCheck, RegisteredRun } from "./check.ts";
import { eventName } from "./entries.ts";
import { makeFixture, plantMarker } from "./fixture.ts";
import type { OwnEntry } from "./own.ts";
import { payload } from "./payload.ts";
import { runRegistered, type Sandbox } from "./sandbox.ts";
import { makeScratch } from "./scratch.ts";
import { type Situation, situations } from "./situations.ts";
import { verdict } from "./verdict.ts";

const TIME_LIMIT_MS = 15_000;

export interface CommandInput {
	/** Texts of this installation only. */
	entries: readonly OwnEntry[];
	env: Env;
	/** The real store: its configuration is copied, and the scratch folder lies in it for as long as this runs. */
	root: string | null;
	timeLimitMs?: number | undefined;
	progress?: ((what: string) => void) | undefined;
}

/**
 * Runs these commands as Claude Code does, each distinct text once, in a store and a project of its
 * own, and judges the answers. Commands whose launcher is gone are not run: they would end in silence.
 */
export async function runCommands(input: CommandInput): Promise<{ checks: DoctorCheck[]; commands: RegisteredRun[] }> {
	const checks: DoctorCheck[] = [];
	const commands: RegisteredRun[] = [];
	const rounds = roundsOf(input.entries.filter(({ launcher }) => isProgram(launcher)));
	if (rounds.length === 0) return { checks, commands };
	const scratch = makeScratch(input.root);
	try {
		for (const [n, round] of rounds.entries()) {
			const fixture = makeFixture(scratch.path, n, input);
			for (const situation of situations(loadConfig(fixture.store).config)) {
				const registered = round.get(situation.part);
				if (!registered) continue;
				const { check, command } = await play(situation, registered, fixture, input);
				checks.push(check);
				commands.push(command);
			}
		}
	} finally {
		scratch.remove();
	}
	return { checks, commands };
}

/** A command text and where it is registered. */
interface Registered {
	command: string;
	entries: OwnEntry[];
}

/** One round per installation: the first round takes the first command of each part, and so on. */
function roundsOf(entries: readonly OwnEntry[]): Map<string, Registered>[] {
	const byText = new Map<string, Registered>();
	for (const entry of entries) {
		const known = byText.get(entry.run) ?? { command: entry.run, entries: [] };
		known.entries.push(entry);
		byText.set(entry.run, known);
	}
	const rounds: Map<string, Registered>[] = [];
	for (const registered of byText.values()) {
		const { part } = registered.entries[0]!;
		const free = rounds.find((round) => !round.has(part));
		if (free) free.set(part, registered);
		else rounds.push(new Map([[part, registered]]));
	}
	return rounds;
}

async function play(
	situation: Situation,
	{ command, entries }: Registered,
	fixture: Sandbox,
	{ timeLimitMs = TIME_LIMIT_MS, progress }: CommandInput,
): Promise<{ check: DoctorCheck; command: RegisteredRun }> {
	const event = [...new Set(entries.map(eventName))].join(", ");
	progress?.(`${event}, ${situation.run}`);
	if (situation.marker) plantMarker(fixture);
	else if (situation.part === "pre-tool-use") rmSync(sessionPaths(fixture.store, fixture.sid).marker, { force: true });
	const result = await runRegistered(command, fixture, { input: payload(situation, fixture), timeLimitMs });
	const { valid, reason, chars } = verdict(
		situation,
		result,
		existsSync(sessionPaths(fixture.store, fixture.sid).usage),
	);
	const logged = takeLog(fixture);
	const why = [reason, logged && `logged: ${logged}`].filter(Boolean).join("; ");
	const { part, run } = situation;
	const { code: exit, ms } = result;
	return {
		command: { event, part, run, command, exit, valid, ...(valid ? {} : { reason: why }), chars, ms },
		check: checkOf(situation, { event, result, valid, why, chars, wrapped: entries[0]!.wrapped }),
	};
}

interface PlayedCommand {
	event: string;
	result: Ran;
	valid: boolean;
	why: string;
	chars: number;
	wrapped?: string | undefined;
}

function checkOf(
	{ part, run, slowMs }: Situation,
	{ event, result, valid, why, chars, wrapped }: PlayedCommand,
): DoctorCheck {
	const { code, ms, timedOut } = result;
	const slow = ms > slowMs;
	const facts = [
		timedOut ? "killed" : `exit ${code ?? "by signal"}`,
		`${chars.toLocaleString("en-US")} characters`,
		`${ms} ms${slow ? ` (slow: more than ${slowMs})` : ""}`,
		why,
		wrapped === undefined ? "" : wrappedOutput(wrapped, result.out),
	].filter(Boolean);
	return {
		id: `commands.${part}.${run.replaceAll(" ", "-")}`,
		status: valid ? (slow || why ? "warn" : "ok") : "fail",
		title: `${event}, ${run}`,
		detail: facts.join(", "),
	};
}

/** ccg's own line is the last one. */
function wrappedOutput(command: string, out: string): string {
	const lines = out.trimEnd().split("\n").slice(0, -1);
	const said = lines.length === 0 ? "printed nothing" : `printed ${JSON.stringify(lines[0]!.slice(0, 60))}`;
	return `around \`${command}\`, which ${said}`;
}

/** What the run logged: hooks end 0 and stay silent when something goes wrong, the log tells. */
function takeLog({ store }: Sandbox): string | null {
	const path = logPath(store);
	const line = readText(path)?.trim().split("\n").at(-1) || null;
	rmSync(path, { force: true });
	return line;
}
